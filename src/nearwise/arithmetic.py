"""Arithmetic whose last bit does not depend on the processor.

NumPy has its own powers, logarithms and exponentials for some instruction sets, and they differ from the C library in
the last bit; BLAS adds up a product in an order that depends on the processor and on the number of its threads. A last
bit decides ties and is seen in learned weights, so nothing that reaches a result calls them directly:

- whole powers are multiplied out by squaring, in the order that the core has;
- other powers and functions are those of the C library, through the core; without the core they are NumPy's, and
  results then equal those of the core to rounding;
- `dot` and `product` add up in one order.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nearwise.native import core

__all__ = ["cos", "dot", "exp", "log", "log2", "power", "product", "sin", "weighted"]

Floats = NDArray[np.float64]

CHUNK_BYTES = 16 << 20
"""memory for the terms of a product that are added up at a time where there is no core"""


def power(raw: Any, p: float) -> Any:
    """raw^p of a number or an array from 0, the same bits for both; what is too large becomes infinite.

    Under p = infinity differences are not raised: the largest of them counts as it is.

    >>> power(1.5, 3), power(np.array([4.0, 9.0]), 1.5).tolist()
    (3.375, [8.0, 27.0])
    """
    if p == 1 or p == np.inf:
        return raw
    with np.errstate(over="ignore", under="ignore"):
        if p == 2:
            return raw * raw
        return _multiplied_out(raw, int(p)) if p >= 1 and p == int(p) else _elementwise("power", raw, float(p))


def _multiplied_out(raw: Any, exponent: int) -> Any:
    """raw^exponent by squaring; the twin of `Whole` in native/arithmetic/raised.hpp."""
    out = None
    while True:
        if exponent & 1:
            out = raw if out is None else out * raw
        exponent >>= 1
        if exponent == 0:
            return out
        raw = raw * raw


def weighted(coefficient: Any, terms: Any) -> Any:
    """coefficient * terms, and 0 where the coefficient is 0: what does not count is out, even if it is infinite.

    >>> weighted(np.array([0.0, 2.0]), np.array([np.inf, 3.0]))
    array([0., 6.])
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        out = coefficient * terms
    is_out = np.equal(coefficient, 0.0)
    return np.where(is_out, 0.0, out) if is_out.any() else out


def exp(x: Any) -> Any:
    return _elementwise("exp", x)


def log(x: Any) -> Any:
    return _elementwise("log", x)


def log2(x: Any) -> Any:
    return _elementwise("log2", x)


def sin(x: Any) -> Any:
    return _elementwise("sin", x)


def cos(x: Any) -> Any:
    return _elementwise("cos", x)


def _elementwise(name: str, x: Any, *more: float) -> Any:
    """A function of the C library for every number of x, by its name in the core and in NumPy."""
    native = core()
    with np.errstate(over="ignore", under="ignore"):
        if native is None:
            return getattr(np, name)(x, *more)
        array = np.asarray(x, dtype=np.float64)
        # what is left of an array without dimensions is a number
        return getattr(native, name)(np.ascontiguousarray(array).ravel(), *more).reshape(array.shape)[()]


def dot(a: Any, b: Any) -> Any:
    """The sum of a[i] * b[i] over the first axis of both: a number for b (n,), an array (k, ...) for b (n, k, ...).

    >>> dot(np.array([1.0, 2.0]), np.array([[3.0, 4.0], [5.0, 6.0]]))
    array([13., 16.])
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b)
    return (a.reshape(a.shape + (1,) * (b.ndim - 1)) * b).sum(axis=0)


def product(a: Any, b: Any) -> Floats:
    """(m, k) the matrix product of a (m, n) and b (n, k), every entry added up from the first of n to the last.

    >>> product([[1.0, 2.0]], [[3.0], [4.0]])
    array([[11.]])
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    native = core()
    if native is None:
        return _added_up(a, b)
    is_turned = a.flags.f_contiguous and not a.flags.c_contiguous
    return cast(
        Floats, native.product(np.ascontiguousarray(a.T if is_turned else a), np.ascontiguousarray(b), is_turned)
    )


def _added_up(a: Floats, b: Floats) -> Floats:
    """`product` where there is no core: a sum over the first axis adds row to row."""
    total = np.zeros((len(a), b.shape[1]))
    step = max(1, CHUNK_BYTES // (8 * max(1, total.size)))
    for start in range(0, len(b), step):
        rows = slice(start, start + step)
        terms = a.T[rows, :, None] * b[rows, None, :]
        terms[0] += total
        total = terms.sum(axis=0)
    return total

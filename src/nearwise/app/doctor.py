"""``nearwise doctor``: what this installation can do, and how it would search a given file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearwise.app.fit import fitted
from nearwise.app.naming import named_method, one_method
from nearwise.app.options import AsJson, Learning, Reading, Regression, with_options
from nearwise.app.output import json_text, write
from nearwise.errors import InputError
from nearwise.visible import visible

if TYPE_CHECKING:
    from nearwise.search.plan import Plan

__all__ = ["doctor"]

NEEDED = ("numpy", "scipy", "narwhals", "rapidfuzz", "typer", "rich")
OPTIONAL = {
    "scikit-learn": "sklearn", "pandas": "frames", "polars": "frames", "pyarrow": "frames", "plotly": "plots",
}  # fmt: skip
"""package -> the extra that brings it"""


@with_options
def doctor(
    reading: Reading,
    learning: Learning,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Also say how this file would be searched.")
    ] = None,
    target: Annotated[
        str | None, typer.Option("--target", help="The column to predict; without it, cases are only searched.")
    ] = None,
    method: Annotated[str | None, one_method("What searches", " Without --target: none.")] = None,
    regression: Regression = False,
    as_json: AsJson = False,
) -> None:
    """Say what is installed and how a file is searched.

    Versions, the native core, threads; for a FILE the engine that would search it, and why.
    """
    if file is None and (target is not None or regression):
        raise InputError("Name the FILE that --target and --regression are about.")
    if regression and target is None:
        raise InputError("--regression needs the number to predict: name its column with --target.")
    found = installation()
    plans = [] if file is None else _plans(file, reading, learning, target, method, regression)
    if as_json:
        told = [_plan_json(plan) for plan in plans]
        write(json_text({**found, "plan": told[0] if told else None, "members": told if len(told) > 1 else None}))
        return
    write(_told(found))
    for plan in plans:
        write(f"\n{visible(str(file))}\n{plan.describe()}")


def installation() -> dict[str, Any]:
    """Versions, the native core, cores, and which packages are there; imports none of them."""
    import os
    import platform

    from nearwise import __version__
    from nearwise.search.threads import threads

    return {
        "nearwise": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "native": _native(),
        "cores": os.cpu_count(),
        "threads": threads(None),
        "packages": {name: _version(name) for name in NEEDED},
        "optional": {name: _version(name) for name in OPTIONAL},
    }


def _native() -> dict[str, Any]:
    """Whether the C++ core is in use, and if not, why and what to do."""
    from importlib.util import find_spec

    from nearwise.native import core

    try:
        loaded = core()
    except ImportError as error:
        remedy = f"The native core does not load here ({error}): build it anew on this machine with `make build`."
        return {"in_use": False, "instruction_set": None, "remedy": remedy}
    if loaded is not None:
        return {"in_use": True, "instruction_set": loaded.instruction_set(), "remedy": None}
    if find_spec("nearwise._core") is not None:
        remedy = "It is switched off by NEARWISE_NATIVE=0: unset that variable."
    else:
        remedy = (
            "Everything works through NumPy, large tables take longer: install a C++20 compiler and Python's headers, "
            "then build again with `make build` (or `pip install --force-reinstall --no-cache-dir .`)."
        )
    return {"in_use": False, "instruction_set": None, "remedy": remedy}


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _plans(
    file: Path, reading: Reading, learning: Learning, target: str | None, method: str | None, regression: bool
) -> list[Plan]:
    """The plan of the estimator that `nearwise fit` would make, or of its members; without a target, of a search."""
    from nearwise.app.tables import read_cases
    from nearwise.estimators.by_name import AUTO, DEFAULT, is_featurewise, is_named
    from nearwise.estimators.retrieval import NearestCases

    if is_featurewise(method):
        raise InputError(f"--weights {method} searches no cases, so there is no plan to tell of: leave it out.")
    if target is not None:
        model, _ = fitted(file, target, reading, learning, method, regression, only_distance=True)
        return [each.plan_ for each in getattr(model, "members_", [model])]
    chosen = named_method(method, learning)
    if is_named(chosen, AUTO):
        raise InputError("--weights auto predicts: name the column to predict with --target.")
    cases = read_cases(file, reading)
    weights = "none" if is_named(chosen, DEFAULT) else chosen
    made = {name: value for name, value in learning.searching().items() if name not in ("vote", "answer")}
    search = NearestCases(feature_weights=weights, schema=cases.kinds, random_state=learning.seed, **made)
    return [search.fit(cases.table).plan_]


def _plan_json(plan: Plan) -> dict[str, Any]:
    return {
        "engine": plan.engine.name,
        "cases": len(plan.engine.distance.stored),
        "rejected": plan.rejected,
        "description": plan.describe(),
    }


def _told(found: dict[str, Any]) -> str:
    native = found["native"]
    absent: dict[str, list[str]] = {}
    for name, version in found["optional"].items():
        if version is None:
            absent.setdefault(OPTIONAL[name], []).append(name)
    present = {**found["packages"], **found["optional"]}
    rows = [
        ("nearwise", found["nearwise"]),
        ("Python", f"{found['python']}, {found['system']}"),
        ("native core", f"in use ({native['instruction_set']})" if native["in_use"] else "not in use"),
        ("cores", f"{found['cores']}, threads in use {found['threads']}"),
        ("packages", ", ".join(f"{name} {version}" for name, version in present.items() if version is not None)),
    ]
    if native["remedy"] is not None:
        rows.insert(3, ("", native["remedy"]))
    for extra, names in absent.items():
        rows.append(("not found", f"{', '.join(names)}: pip install 'nearwise[{extra}]'"))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)

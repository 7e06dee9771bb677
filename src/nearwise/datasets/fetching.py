"""Bytes from an address: with a time limit, a size limit and a progress bar, and all of them or none."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from nearwise.errors import InputError, NearwiseError
from nearwise.progress import progress

__all__ = ["LONGEST", "MOST", "FetchError", "fetch"]

MOST = 250_000_000
"""bytes that a download may have; covertype as ARFF is the largest known set, below half of that"""
LONGEST = 900.0
"""seconds that a download may take altogether"""
_CHUNK = 1 << 16


class FetchError(InputError):
    """A data set cannot be downloaded."""


def fetch(url: str, timeout: float, label: str, md5: str | None = None) -> bytes:
    """The content of an address. ``timeout`` is in seconds without a byte; ``md5`` is the sum that was announced."""
    began = time.monotonic()
    try:
        with urlopen(Request(url, headers={"User-Agent": "nearwise"}), timeout=timeout) as answer:
            if urlsplit(url).scheme == "https" != urlsplit(answer.geturl()).scheme:
                raise FetchError(f"{url} leads to {answer.geturl()}, which is not protected.")
            size = _size(answer, url)
            pieces = _pieces(answer, began, url)
            content = b"".join(progress(pieces, max(1, (size or 0) // _CHUNK), label))
    except NearwiseError:
        raise
    except HTTPError as error:
        raise FetchError(f"{url} answers {error.code} ({error.reason}).") from None
    except (URLError, HTTPException, OSError) as error:  # URLError is how urllib tells that nobody is there
        raise FetchError(f"{url} cannot be reached ({getattr(error, 'reason', None) or error!r}).") from None
    if size is not None and len(content) != size:
        raise FetchError(f"{url} ended early: expected {size:,} bytes, got {len(content):,}.")
    if md5 is not None and hashlib.md5(content, usedforsecurity=False).hexdigest() != md5.lower():
        raise FetchError(f"{url} came damaged: its bytes have not the sum that was announced.")
    return content


def _size(answer: Any, url: str) -> int | None:
    told = answer.headers.get("Content-Length", "")
    size = int(told) if told.isdecimal() else None
    if size is not None and size > MOST:
        raise _too_large(url)
    return size


def _pieces(answer: Any, began: float, url: str) -> Iterator[bytes]:
    held = 0
    while piece := answer.read(_CHUNK):
        held += len(piece)
        if held > MOST:
            raise _too_large(url)
        if time.monotonic() - began > LONGEST:
            raise FetchError(f"{url} takes longer than {LONGEST:g} seconds.")
        yield piece


def _too_large(url: str) -> FetchError:
    return FetchError(f"{url} is too large: more than {MOST:,} bytes.")

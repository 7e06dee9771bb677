"""What every request has to pass before it is looked at: size, host, origin and token.

The server listens on this machine only, and yet any page in a browser can send requests to it, and a foreign name can
be made to point to it. So the host must be ours by name, the origin too where there is one, and all but the question
whether the server lives needs the token that was printed when it started.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

__all__ = ["Guard", "new_token"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = (
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
LONGEST = 15
"""digits of a length that is read as a number"""
OPEN = ("/health",)
"""what needs no token"""


def new_token() -> str:
    return secrets.token_urlsafe(24)


class Guard:
    """Wraps an application; what does not pass is answered here, with one sentence."""

    def __init__(self, app: App, token: str, port: int, largest: int) -> None:
        self.app, self.token, self.largest = app, token, largest
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self.origins = {f"http://{host}" for host in self.hosts}
        self.cookie = f"nearwise_{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused(scope, headers)
        if refused is not None:
            await _answer(send, *refused)
            return
        given = _token_of_address(scope)
        if given is not None and scope["method"] == "GET" and self._is_token(given):
            await self._let_in(send)
            return
        if scope["path"] not in OPEN and not self._has_token(headers):
            sentence = "This needs the token of the address that was printed when the server started."
            await _answer(send, 401, f"{sentence} Open that address, or send it as the header Authorization: Bearer.")
            return
        await self._pass(scope, receive, send)

    def _refused(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str] | None:
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        if host not in self.hosts:
            return 403, f"This server answers to {sorted(self.hosts)[0]} only, and was asked as {host[:100]!r}."
        if origin is not None and origin not in self.origins:
            return 403, f"A page of {origin[:100]!r} may not ask this server."
        length = headers.get(b"content-length", "0")
        if not length.isdecimal() or len(length) > LONGEST or int(length) > self.largest:
            return 413, f"A request may have {self.largest:,} bytes, and this one has {length[:20]}: send fewer cases."
        return None

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())

    def _has_token(self, headers: dict[bytes, str]) -> bool:
        scheme, _, given = headers.get(b"authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._is_token(given.strip()):
            return True
        # other programs of 127.0.0.1 leave cookies here as well, and http.cookies stops at the first odd one
        named = (each.strip().partition("=") for each in headers.get(b"cookie", "").split(";"))
        return any(name == self.cookie and self._is_token(value) for name, _, value in named)

    async def _let_in(self, send: Send) -> None:
        """Keep the token as a cookie that no other site can use, and take it out of the address."""
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), *HEADERS]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take the body in, so that its size is known, and hand the request on."""
        parts: list[bytes] = []
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            parts.append(message.get("body", b""))
            more = message.get("more_body", False)
            if sum(map(len, parts)) > self.largest:
                await _answer(send, 413, f"A request may have {self.largest:,} bytes: send fewer cases.")
                return
        whole: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": b"".join(parts), "more_body": False}]

        async def replayed() -> MutableMapping[str, Any]:
            return whole.pop() if whole else await receive()

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            await send(message)

        await self.app(scope, replayed, with_headers)


def _token_of_address(scope: Scope) -> str | None:
    found = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token")
    return found[0] if found else None


async def _answer(send: Send, status: int, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

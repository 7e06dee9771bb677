"""A table with every kind of the page, the explorer over it in this process, and a server in a process of its own."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nearwise.app.explore import _of_file
from nearwise.app.options import Learning, Reading
from nearwise.datasets.cars import make_cars
from tests.spreadsheets import package

from .browsing import ARGUMENTS, CHROMIUM, WIDE
from .browsing import PATIENCE as PATIENCE_OF_A_PAGE

TOKEN, PORT = "a-token-for-the-tests", 8765
SCRIPT = "<script>document.title = 'hacked'</script>"
PATIENCE = 60
"""seconds that a server may take to start or to end"""


class Client:
    """Requests to an application in this process; it passes the same guard as over a port."""

    def __init__(self, app, headers=None):
        import httpx

        from nearwise.app.explorer.requests import LARGEST_BODY
        from nearwise.app.explorer.security import Guard

        self.transport = httpx.ASGITransport(Guard(app, TOKEN, PORT, LARGEST_BODY), raise_app_exceptions=False)
        self.headers = {"Authorization": f"Bearer {TOKEN}"} if headers is None else headers

    async def asked(self, *requests):
        """Several requests at once: (path), (path, body) or (path, body, further settings of httpx)."""
        import httpx

        base = f"http://127.0.0.1:{PORT}"
        async with httpx.AsyncClient(transport=self.transport, base_url=base, headers=self.headers) as http:

            def one(path, body=None, more=None):
                method = "GET" if body is None and not more else "POST"
                sent = {} if body is None else {"json": body}
                return http.request((more or {}).pop("method", method), path, **sent, **(more or {}))

            return await asyncio.gather(*(one(*request) for request in requests))

    def ask(self, path, body=None, **more):
        return asyncio.run(self.asked((path, body, more)))[0]

    def found(self, path, body=None):
        """The answer as JSON, where all went well."""
        done = self.ask(path, body)
        assert done.status_code == 200, done.text
        return done.json()


@pytest.fixture(scope="session", autouse=True)
def packages():
    """What the server and its tests are made of; must be there under strict rules."""
    for name in ("fastapi", "uvicorn", "httpx"):
        package(name)


def write_cars(folder, n=90):
    """Cars with numbers, symbols, text, a set, a vector, holes, a script, and a target that is a class."""
    path = Path(folder, "cars.jsonl")
    rows, bands = make_cars(n)
    lines = []
    for i, (row, band) in enumerate(zip(rows, bands, strict=True)):
        made = {name: sorted(v) if isinstance(v, set | frozenset) else v for name, v in row.items()}
        lines.append(json.dumps({**made, "make": SCRIPT if i == 3 else made["make"], "price_band": band}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_sizes(folder, n=60):
    """Dates, an order, hours, symbols and holes as CSV, and a class."""
    path = Path(folder, "sizes.csv")
    lines = ["when,size,hour,job,age,y"]
    for i in range(n):
        age = "" if i % 11 == 4 else i * 7 % 31
        job = ["cook", "judge"][i % 2]
        y = "ab"[(i * 7 % 31 > 15) ^ (i % 3 == 0)]
        lines.append(f"2020-{i % 12 + 1:02d}-{i % 27 + 1:02d},{'SML'[i % 3]},{i % 24},{job},{age},{y}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def session_of(path, target, method="mdw", regression=False, learning=None, **reading):
    from nearwise.app.explorer.session import Session

    source = _of_file(path, target, Reading(**reading), learning or Learning(), regression)
    return Session(source, method)


def client_of(session):
    from nearwise.app.explorer.server import exploring

    made = Client(exploring(session))
    made.session = session
    return made


@pytest.fixture
def cars(tmp_path):
    """The explorer over cars."""
    return client_of(session_of(write_cars(tmp_path), "price_band"))


@pytest.fixture
def sizes(tmp_path):
    """The explorer over dates, an order and hours."""
    return client_of(session_of(write_sizes(tmp_path), "y", kind=["size=ordinal:S:M:L,hour=cyclic:24"]))


class Server:
    """A command that serves, in a process of its own."""

    def __init__(self, folder, *arguments, program=("-m", "nearwise"), **environment):
        self.process = subprocess.Popen(
            [sys.executable, *program, *map(str, arguments)], cwd=folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, **environment},
        )  # fmt: skip
        self.address = self.process.stdout.readline().strip()

    def interrupted(self):
        """(exit code, standard output after the address, standard error) after Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        try:
            out, err = self.process.communicate(timeout=PATIENCE)
        finally:
            self.killed()
        return self.process.returncode, out, err

    def killed(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def serve(tmp_path_factory):
    """Start a command that serves; each is killed at the end of the module."""
    started = []

    def run(*arguments, folder=None, **environment):
        started.append(Server(folder or tmp_path_factory.mktemp("served"), *arguments, **environment))
        return started[-1]

    yield run
    for server in started:
        server.killed()


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium; must be there under strict rules."""
    package("playwright")
    if not os.path.exists(CHROMIUM):
        reason = f"{CHROMIUM} is not there: apt-get install chromium, or let NEARWISE_CHROMIUM name another one"
        if os.environ.get("NEARWISE_STRICT") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def cars_file(tmp_path_factory):
    return write_cars(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def server(cars_file, serve):
    arguments = ["--target", "price_band", "--weights", "mdw", "--no-browser"]
    return serve("explore", cars_file, *arguments, folder=cars_file.parent)


@pytest.fixture
def page(browser, server, request):
    """The page over cars as it begins: nothing may be asked of another place, and nothing may be reported."""
    width, height = getattr(request, "param", WIDE)
    context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(PATIENCE_OF_A_PAGE)
    page.asked, page.told = [], []
    page.on("request", lambda asked: page.asked.append(asked.url))
    page.on("pageerror", lambda error: page.told.append(str(error)))
    page.on("dialog", lambda dialog: page.told.append(dialog.message) or dialog.dismiss())
    page.on("console", lambda line: page.told.append(line.text) if line.type in ("error", "warning") else None)
    page.goto(server.address)
    page.wait_for_selector("body[data-ready]")
    yield page
    base = server.address.partition("?")[0]
    assert all(url.startswith((base, f"blob:{base}")) for url in page.asked)
    # what the page is told of a bad request, Chromium reports by itself
    refused = [text for text in page.told if "status of 4" in text]
    assert len(refused) <= getattr(page, "refused", 0), refused
    assert [text for text in page.told if text not in refused] == []
    page.close()
    while context.request.post(f"{base}api/undo", data={}).ok:  # the next test begins where this one began
        pass
    context.close()

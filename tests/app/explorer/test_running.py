"""``nearwise explore`` and ``nearwise serve`` as commands: their address, their errors and their end."""

import os
import re
import socket
import subprocess
import sys
import threading

import pytest

import nearwise as nw

from .conftest import PATIENCE, write_cars, write_sizes

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]{32}")


def run(folder, *arguments, **environment):
    command = [sys.executable, "-m", "nearwise", *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("running")
    write_sizes(folder)
    write_cars(folder)
    nw.KNNClassifier(feature_weights="none").fit([[1.0], [2.0]], ["a", "b"]).save(folder / "m.nearwise")
    nw.AutoClassifier().fit([[float(i)] for i in range(20)], ["a", "b"] * 10).save(folder / "auto.nearwise")
    return folder


def test_explore_prints_its_address_alone_and_ctrl_c_ends_it(folder, serve):
    import httpx

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = serve("explore", "sizes.csv", "--target", "y", "--no-browser", "--port", port, folder=folder)
    assert ADDRESS.fullmatch(server.address)[1] == str(port)
    with httpx.Client(follow_redirects=True) as http:
        page = http.get(server.address)
        assert page.url.path == "/"
        assert "<title>nearwise explorer</title>" in page.text
        assert http.get(f"http://127.0.0.1:{port}/api/about").json()["cases"] == 60
        # sent as they are over the socket: no client shortens the path
        cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        for path in ("/static/../server.py", "/static/..%2fserver.py", "/../../../../etc/passwd", "//etc/passwd"):
            assert b" 404 " in raw(port, f"GET {path}", f"Host: 127.0.0.1:{port}", f"Cookie: {cookie}")
        assert b" 403 " in raw(port, "GET /", "Host: evil.example", f"Cookie: {cookie}")
        taken = run(folder, "explore", "sizes.csv", "--target", "y", "--no-browser", "--port", port)
        assert taken.returncode == 2
        assert taken.stderr.splitlines()[-1] == (
            f"nearwise: --port {port}: 127.0.0.1 does not give it (Address already in use); leave it out."
        )
        code, out, err = server.interrupted()  # while a connection is open
    assert (code, out) == (0, "")
    assert err.splitlines() == ["60 cases of sizes.csv. Ctrl-C ends this."]


def raw(port, first, *headers):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as sent:
        sent.sendall("\r\n".join([f"{first} HTTP/1.1", *headers, "Connection: close", "", ""]).encode())
        return b"".join(iter(lambda: sent.recv(65536), b""))


SLOW = """
import sys, time
from nearwise.app.explorer.session import Session
from nearwise.app.program import run
def never(*_):
    print("learning", flush=True)
    time.sleep(3600)
Session._fresh = never
run()
"""
"""the command, with a method that takes an hour"""


def test_ctrl_c_ends_it_while_a_method_is_being_learned(folder, serve):
    import httpx

    server = serve("explore", "sizes.csv", "--target", "y", "--no-browser", folder=folder, program=("-c", SLOW))
    base, failed = server.address.partition("/?")[0], []

    def learn():
        try:
            with httpx.Client(follow_redirects=True, timeout=PATIENCE) as http:
                http.get(server.address)
                failed.append(http.post(f"{base}/api/method", json={"method": "none"}).status_code)
        except httpx.HTTPError as error:
            failed.append(error)

    thread = threading.Thread(target=learn)
    thread.start()
    assert server.process.stdout.readline() == "learning\n"
    code, _, err = server.interrupted()
    thread.join(PATIENCE)
    assert (code, err.splitlines()) == (0, ["60 cases of sizes.csv. Ctrl-C ends this."])
    assert failed != [200]


def test_a_saved_model_is_explored_and_served(folder, serve):
    import httpx

    for command in ("explore", "serve"):
        more = ["--no-browser"] if command == "explore" else []
        server = serve(command, "m.nearwise", *more, folder=folder, NEARWISE_TOKEN="a-token-of-my-own")
        assert server.address.endswith("/?token=a-token-of-my-own")
        headers = {"Authorization": "Bearer a-token-of-my-own"}
        base = server.address.partition("/?")[0]
        done = httpx.post(f"{base}/v1/predict", json={"cases": [{"x0": 1.2}]}, headers=headers)
        assert done.json()["predictions"] == ["a"]
        code, _, err = server.interrupted()
        assert (code, "Traceback" in err) == (0, False)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["explore", "none.csv", "--target", "y"], "none.csv"),
        (["explore", "sizes.csv", "--target", "z"], "'z'"),
        (["explore", "sizes.csv"], "name the column to predict with --target"),
        (["explore", "sizes.csv", "--target", "y", "--weights", "gainratio"], "There is no method 'gainratio'"),
        (["explore", "sizes.csv", "--target", "y", "--port", "0"], "--port"),
        (["explore", "sizes.csv", "--target", "y", "--port", "70000"], "--port"),
        (["explore", "sizes.csv", "--target", "y", "--kind", "when=colour"], "colour"),
        (["explore", "auto.nearwise"], "save one of these"),
        (["explore", "m.nearwise", "--target", "y"], "leave --target out"),
        (
            ["explore", "m.nearwise", "--k", "3"],
            "--k is for a table of cases, and m.nearwise is a model: leave it out.",
        ),
        (["serve", "none.nearwise"], "none.nearwise"),
        (["serve", "sizes.csv"], "sizes.csv"),
        (["serve", "m.nearwise", "--port", "-1"], "--port"),
    ],
)
def test_errors_are_one_sentence(nearwise, folder, monkeypatch, arguments, said):
    monkeypatch.chdir(folder)
    more = ["--no-browser"] if arguments[0] == "explore" else []
    done = nearwise(*arguments, *more)
    assert done.code == 2
    assert done.out == ""
    (sentence,) = [line for line in done.err.splitlines() if not line.startswith("note: ")]
    assert sentence.startswith("nearwise: ")
    assert said in sentence


def test_a_token_that_can_be_guessed_is_refused(folder):
    done = run(folder, "serve", "m.nearwise", NEARWISE_TOKEN="short")
    assert (done.returncode, done.stdout) == (2, "")
    assert "at least 16 letters" in done.stderr


def test_without_its_packages_the_extra_is_named(folder, process):
    hidden = (
        "import sys; sys.modules['uvicorn'] = None; from nearwise.app.main import main; "
        "sys.exit(main(['explore', 'none.csv', '--target', 'y']))"
    )
    done = process(program=("-c", hidden))
    assert done.code == 2
    assert "pip install 'nearwise[explore]'" in done.err
    assert "Traceback" not in done.err


def test_the_browser_is_opened_unless_told_not_to(folder, monkeypatch):
    from nearwise.app.explorer import running

    opened = []
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    running.run(lambda *_: None, None, opened.append)
    assert ADDRESS.fullmatch(opened[0])

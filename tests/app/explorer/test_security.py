"""Who may ask, how much, and for which files: everything else is refused with one sentence."""

import pytest

from .conftest import PORT, SCRIPT, TOKEN, Client


def refused(done, status):
    assert done.status_code == status, done.text
    assert set(done.json()) == {"error"}
    assert done.json()["error"].count("\n") == 0
    return done.json()["error"]


def anonymous(client):
    made = Client(client.transport.app.app, headers={})
    return made


@pytest.mark.parametrize(
    "path", ["/", "/api/about", "/v1/schema", "/static/api.js", "/download/model", "/openapi.json"]
)
def test_everything_but_health_needs_the_token(cars, path):
    asked = anonymous(cars)
    assert "token" in refused(asked.ask(path), 401)
    for wrong in (f"Bearer {TOKEN}x", "Bearer ", "Bearer \u00ff", f"Basic {TOKEN}", TOKEN, ""):
        refused(asked.ask(path, headers={"Authorization": wrong.encode("latin-1")}, method="GET"), 401)
    refused(asked.ask(f"{path}?token={TOKEN[:-1]}"), 401)
    refused(asked.ask(f"{path}?token=%ff"), 401)
    assert asked.ask("/health").json()["status"] == "ok"


def test_the_address_is_changed_for_a_cookie_that_other_pages_cannot_use(cars):
    asked = anonymous(cars)
    done = asked.ask(f"/?token={TOKEN}")
    assert (done.status_code, done.headers["location"]) == (303, "/")
    cookie = done.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    kept = cookie.partition(";")[0]
    for before in ("", 'other={"a": 1}; ', "odd; =; a=b=c; "):  # cookies of other programs on this machine
        assert asked.ask("/api/about", method="GET", headers={"Cookie": before + kept}).status_code == 200
    refused(asked.ask("/api/about", method="GET", headers={"Cookie": kept + "x"}), 401)


def test_foreign_hosts_and_pages_are_refused_even_with_the_token(cars):
    for host in ("evil.example", f"evil.example:{PORT}", f"127.0.0.1:{PORT + 1}", "127.0.0.1", ""):
        assert "answers to" in refused(cars.ask("/health", method="GET", headers={"Host": host}), 403)
    assert cars.ask("/health", method="GET", headers={"Host": f"localhost:{PORT}"}).status_code == 200
    for origin in ("http://evil.example", f"https://127.0.0.1:{PORT}", "null", f"http://127.0.0.1:{PORT + 1}"):
        assert "may not ask" in refused(cars.ask("/api/undo", {}, headers={"Origin": origin}), 403)
    assert cars.ask("/api/look", {}, headers={"Origin": f"http://127.0.0.1:{PORT}"}).status_code == 200


def test_what_is_too_large_is_refused_by_its_length_and_by_its_bytes(cars):
    from nearwise.app.explorer.requests import LARGEST_BODY

    large = b"x" * (LARGEST_BODY + 1)
    assert "1,000,000 bytes" in refused(cars.ask("/api/look", content=large), 413)
    for length in ("9" * 5000, "-1", "1e3", str(LARGEST_BODY + 1)):
        refused(cars.ask("/api/look", content=b"{}", headers={"Content-Length": length}), 413)

    async def streamed():
        for _ in range(3):
            yield b"x" * (LARGEST_BODY // 2)

    assert "send fewer" in refused(cars.ask("/api/look", content=streamed()), 413)


def test_files_of_the_page_are_served_and_no_others(cars):
    from nearwise.app.explorer.server import FILES, STATIC

    for name, media in FILES.items():
        done = cars.ask(f"/static/{name}")
        assert done.content == (STATIC / name).read_bytes()
        assert done.headers["content-type"].startswith(media)
        assert done.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'self'" in done.headers["content-security-policy"]
        assert done.headers["cache-control"] == "no-store"
    assert {path.name for path in STATIC.iterdir()} == set(FILES)
    tried = [
        "../server.py", "..%2fserver.py", "%2e%2e/server.py", "%2e%2e%2fserver.py", "..%252fserver.py", "..\\server.py",
        "..%5cserver.py", "/etc/passwd", "%2fetc%2fpasswd", "....//server.py", "index.html/../../server.py",
        "index.html%00.js", "", ".", "..", "explorer.css/", "INDEX.HTML", "file:///etc/passwd", "cars.jsonl",
    ]  # fmt: skip
    for folder in ("/static/", "/download/", "/"):
        for name in tried:
            done = cars.ask(folder + name)
            if done.url.path not in ("/", "/static/index.html"):  # where the client itself shortened the path
                assert done.status_code in (400, 404), (folder, name)
            assert "import annotations" not in done.text, (folder, name)
            assert "root:" not in done.text, (folder, name)


def test_values_of_cells_stay_text_everywhere(cars):
    found = cars.found("/api/look", {"case": 3})
    assert found["answer"]["values"]["make"] == SCRIPT
    assert cars.ask("/api/look", {"case": 3}).headers["content-type"] == "application/json"
    page = cars.ask("/").text
    assert SCRIPT not in page
    report = cars.ask("/download/report").text
    assert SCRIPT not in report
    names = ("index.html", "explorer.js", "dom.js", "map.js", "why.js", "weights.js", "cases.js", "api.js")
    texts = {name: cars.ask(f"/static/{name}").text for name in names}
    for name, text in texts.items():  # the page has no way from a text to HTML
        for way in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "DOMParser",
        ):
            assert way not in text, (name, way)
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", ""), name
        assert "https://" not in text, name


def test_methods_of_http_that_change_nothing_cannot_change(cars):
    for path in ("/api/weights", "/api/undo", "/api/method", "/api/kind", "/api/critique"):
        refused(cars.ask(path), 405)
        refused(cars.ask(path, method="PUT", json={}), 405)
    refused(cars.ask("/nowhere"), 404)

"""A server on this machine that behaves like OpenML, well or badly, and an empty cache."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

ARFF = """@relation tiny
@attribute id numeric
@attribute heat numeric
@attribute sky {sun, rain}
@attribute play {yes, no}
@data
1, 20.5, sun, yes
2, 18, rain, no
3, ?, sun, yes
4, 11, ?, no
"""
PATH = "/data/download/tiny.arff"


class Repository:
    """What the server answers: path -> (status, bytes), and what it says of the length of the file, if anything."""

    def __init__(self, address):
        self.address = address
        self.asked = []
        self.announced, self.silent = None, False
        self.md5 = hashlib.md5(ARFF.encode(), usedforsecurity=False).hexdigest()
        self.pages = {}
        self.stalls = False
        self.sent, self.go_on = threading.Event(), threading.Event()
        self.offer(999, ARFF.encode())

    def offer(self, number, content, **changes):
        """A set with this id; changes are of its description."""
        told = {
            "url": f"{self.address}{PATH}", "md5_checksum": self.md5, "default_target_attribute": "play",
            "row_id_attribute": "id", **changes,
        }  # fmt: skip
        self.pages[f"/api/v1/json/data/{number}"] = (200, json.dumps({"data_set_description": told}).encode())
        self.pages[PATH] = (200, content)


@pytest.fixture
def repository(monkeypatch):
    """A server that is asked instead of OpenML and UCI."""

    class Handler(BaseHTTPRequestHandler):
        timeout = 20

        def do_GET(self):
            mine.asked.append(self.path)
            status, content = mine.pages.get(self.path, (404, b"no such page"))
            is_file = self.path == PATH
            self.send_response(status)
            if not (is_file and mine.silent):
                told = mine.announced if is_file and mine.announced else len(content)
                self.send_header("Content-Length", str(told))
            self.end_headers()
            self.wfile.write(content)
            if is_file and mine.stalls:
                self.wfile.flush()
                mine.sent.set()
                mine.go_on.wait(30)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    mine = Repository(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    monkeypatch.setenv("NEARWISE_DATASETS_URL", mine.address)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield mine
    mine.go_on.set()
    server.shutdown()
    server.server_close()
    thread.join(10)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """No folder of data sets, and an empty cache; returns where downloads go."""
    monkeypatch.delenv("NEARWISE_DATA", raising=False)
    monkeypatch.setenv("NEARWISE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "datasets"

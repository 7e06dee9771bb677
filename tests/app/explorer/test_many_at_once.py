"""Fifty at once: every answer is that of one state, while another client changes the weights."""

import asyncio
import re
import threading

import numpy as np
import pytest

from nearwise.estimators.searching import StoredCases

from .conftest import Client, client_of, session_of, write_cars

AT_ONCE = 50


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return write_cars(tmp_path_factory.mktemp("many"))


def test_fifty_at_once_each_get_the_answer_of_one_state(table):
    """Weights go up while fifty ask; an answer names its weights, and must be what the library says under these."""
    client = client_of(session_of(table, "price_band"))
    model = client.session.state.estimator
    names = model.schema_.names
    changes = [{"weights": {"power": float(w), "age": 1 / (1 + w)}} for w in range(10)]
    asks = [("/api/look", {"case": i % 90, "map": i % 7 == 0}) for i in range(AT_ONCE)]
    mixed = [
        request
        for i in range(0, AT_ONCE, 5)
        for request in (*asks[i : i + 5], ("/api/weights", {**changes[i // 5], "case": 1, "map": False}))
    ]
    done = asyncio.run(client.asked(*mixed))
    assert [each.status_code for each in done] == [200] * len(mixed)
    versions = set()
    for (path, body), each in zip(mixed, done, strict=True):
        found = each.json()
        weights = {feature["name"]: feature["weight"] for feature in found["state"]["features"]}
        versions.add(found["state"]["version"])
        twin = model.with_weights(weights) if found["state"]["moved"] else model
        why = twin.explain(StoredCases([body["case"]]))[0]
        assert found["answer"]["prediction"] == why.prediction
        assert dict(found["answer"]["shares"]) == pytest.approx(why.distribution)
        near = found["answer"]["neighbours"][: len(why.neighbours)]
        assert [n["case"] for n in near] == [n.index for n in why.neighbours[:8]]
        assert [n["distance"] for n in near] == pytest.approx([n.distance for n in why.neighbours[:8]])
        assert found["state"]["score"] == pytest.approx(twin.score_loo())
        assert list(weights) == list(names)
        assert (found["state"]["undo"] is not None) == found["state"]["moved"]
        if path == "/api/weights":
            assert weights["power"] == body["weights"]["power"]
    assert len(versions) == len(changes) + 1 or len(versions) == len(changes)


def test_fifty_connections_to_a_real_server_while_cases_come_and_go(table, tmp_path, serve):
    """Programs ask fifty at once while another stores and forgets cases; all was answered under one set of cases."""
    import httpx

    session = session_of(table, "price_band", "none")
    model = session.state.estimator
    model.save(tmp_path / "m.nearwise")
    server = serve("serve", "m.nearwise", folder=tmp_path)
    address, token = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/\?token=([\w-]+)", server.address).groups()
    records, _ = model.stored_cases()
    queries = [{name: _plain(v) for name, v in row.items()} for row in records[:AT_ONCE]]
    twins = [model]  # with none, one, two, ... cases stored in addition
    more = [(queries[i], "budget") for i in range(4)]
    for query, band in more:
        twin = type(model)(feature_weights="none", random_state=0).fit(*model.stored_cases())
        for each in [*more[: len(twins) - 1], (query, band)]:
            twin.partial_fit([_case(each[0], records[0])], [each[1]])
        twins.append(twin)
    expected = [twin.predict_proba(records[:AT_ONCE]) for twin in twins]
    failed, seen = [], []
    headers = {"Authorization": f"Bearer {token}"}

    def ask(i):
        with httpx.Client(base_url=address, headers=headers, timeout=60) as http:
            for _ in range(3):
                done = http.post("/v1/predict", json={"cases": [queries[i]]})
                shares = np.array(done.json()["shares"][0]) if done.status_code == 200 else None
                same = [] if shares is None else [k for k, e in enumerate(expected) if np.allclose(e[i], shares)]
                (seen if same else failed).append(same or done.text)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    with httpx.Client(base_url=address, headers=headers, timeout=60) as http:
        for _ in range(2):
            ids = []
            for query, band in more:
                done = http.post("/v1/add", json={"cases": [query], "targets": [band]})
                assert done.status_code == 200, done.text
                ids += done.json()["ids"]
            for i in reversed(ids):
                assert http.post("/v1/forget", json={"ids": [i]}).status_code == 200
        for thread in threads:
            thread.join()
        assert http.get("/v1/schema").json()["stored"] == 90
    assert not failed
    assert len(seen) == 3 * AT_ONCE


def _plain(value):
    value = value.tolist() if hasattr(value, "tolist") else value
    return sorted(value) if isinstance(value, set | frozenset) else value


def _case(sent, like):
    """What was sent, with sets as sets."""
    return {name: frozenset(v) if isinstance(like[name], set | frozenset) and v is not None else v
            for name, v in sent.items()}  # fmt: skip


def test_one_client_holds_up_no_other(table, monkeypatch):
    """While a method is being learned, the state before it still answers."""
    from nearwise.app.explorer.session import Session

    client = client_of(session_of(table, "price_band"))
    begun, ended = threading.Event(), threading.Event()
    fresh = Session._fresh

    def slow(self, *given):
        begun.set()
        assert ended.wait(60)
        return fresh(self, *given)

    monkeypatch.setattr(Session, "_fresh", slow)

    async def both():
        learning = asyncio.create_task(client.asked(("/api/method", {"method": "none"})))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        during = (await client.asked(("/api/look", {"case": 1})))[0]
        ended.set()
        return during, (await learning)[0]

    during, after = asyncio.run(both())
    assert during.json()["state"]["method"] == "mdw"
    assert after.json()["state"]["method"] == "none"
    assert isinstance(client, Client)

"""What the page is told is what the library says, and its numbers add up."""

import numpy as np
import pytest

import nearwise as nw
from nearwise.app.explorer.answers import still_otherwise
from nearwise.app.explorer.session import score_of
from nearwise.estimators.searching import StoredCases

from .conftest import client_of, session_of


def begin_alike(told, neighbours):
    """The neighbours that are told begin with those of an explanation, and go on with the next nearest."""
    first = neighbours[:8]
    assert [n["case"] for n in told][: len(first)] == [n.index for n in first]
    assert [n["distance"] for n in told][: len(first)] == pytest.approx([n.distance for n in first])
    assert len(told) == 8
    assert len({n["case"] for n in told}) == 8
    far = max(n["distance"] for n in told[: len(first)])
    assert all(n["distance"] >= far - 1e-9 for n in told[len(first) :])
    assert all(n["vote"] == 0 for n in told[len(first) :])


def parts_add_up(told, power):
    if told["distance"] is None:
        return
    whole = sum(part for _, part in told["parts"])
    assert told["total"] == pytest.approx(whole, abs=1e-12)
    assert told["distance"] ** power == pytest.approx(whole, rel=1e-9, abs=1e-12)


def test_the_page_is_told_of_the_table_the_methods_and_the_classes(cars):
    about = cars.found("/api/about")
    assert (about["title"], about["cases"], about["target"]) == ("cars.jsonl", 90, "price_band")
    assert about["classes"] == sorted(about["classes"])
    ids = [method["id"] for method in about["methods"]]
    assert ids[0] == "default"
    assert {"mdw", "gr", "none"} < set(ids)
    assert "user" not in ids
    assert all(method["about"] for method in about["methods"])


def test_the_schema_is_shown_with_kinds_reasons_holes_and_symbols(cars):
    state = cars.found("/api/look", {})["state"]
    features = {feature["name"]: feature for feature in state["features"]}
    model = cars.session.state.estimator
    assert list(features) == list(model.schema_.names)
    assert {name: feature["kind"] for name, feature in features.items()} == {
        name: kind.name.lower() for name, kind in model.schema_.items()
    }
    holes = {name: sum(row[name] is None for row in model.stored_cases()[0]) for name in features}
    assert {name: feature["missing"] for name, feature in features.items()} == holes
    assert any(holes.values())
    assert "BMW" in features["make"]["symbols"]
    weights = dict(zip(model.schema_.names, model.feature_importances_, strict=True))
    assert {name: feature["weight"] for name, feature in features.items()} == pytest.approx(weights)


@pytest.mark.parametrize("method", ["mdw", "none", "default"])
def test_an_answer_is_that_of_the_library_and_its_parts_add_up(cars, method):
    cars.found("/api/method", {"method": method})
    model = cars.session.state.estimator
    for case in (0, 3, 17):
        told = cars.found("/api/look", {"case": case, "map": False})["answer"]
        why = model.explain(StoredCases([case]))[0]
        assert told["prediction"] == why.prediction
        assert told["truth"] == model.stored_cases()[1][case]
        assert told["is_right"] == (told["truth"] == told["prediction"])
        assert dict(told["shares"]) == pytest.approx(why.distribution)
        begin_alike(told["neighbours"], why.neighbours)
        assert case not in [n["case"] for n in told["neighbours"]]
        assert told["unlike"]["target"] != told["prediction"]
        for each in [*told["neighbours"], told["unlike"]]:
            parts_add_up(each, told["power"])


def test_a_typed_case_is_answered_as_the_library_answers_it(cars):
    typed = {"age": "3.5", "make": "BMW", "title": "sporty estate", "equipment": "towbar, navigation", "emissions": ""}
    told = cars.found("/api/look", {"values": typed})["answer"]
    model = cars.session.state.estimator
    case = dict.fromkeys(model.schema_.names)
    case |= {"age": 3.5, "make": "BMW", "title": "sporty estate", "equipment": ["towbar", "navigation"]}
    why = model.explain([case])[0]
    assert told["case"] is None
    assert told["truth"] is None
    assert dict(told["shares"]) == pytest.approx(why.distribution)
    begin_alike(told["neighbours"], why.neighbours)


@pytest.mark.parametrize("table", ["cars", "sizes"])
def test_a_stored_case_that_is_typed_again_is_the_same_case(table, request):
    client = request.getfixturevalue(table)
    model = client.session.state.estimator
    for case in (0, 5, 15, 26):  # with holes and without
        stored = client.found("/api/look", {"case": case})["answer"]["values"]
        typed = client.found("/api/look", {"values": stored})["answer"]
        why = model.explain([model.stored_cases()[0][case]])[0]
        assert typed["values"] == stored
        begin_alike(typed["neighbours"], why.neighbours)


def test_a_case_that_was_changed_is_asked_without_the_one_it_was_changed_from(cars):
    model = cars.session.state.estimator
    records, target = model.stored_cases()
    stored = cars.found("/api/look", {"case": 9})
    same = cars.found("/api/look", {"values": stored["answer"]["values"], "without": 9, "flip": True})
    rest = [i for i in range(90) if i != 9]
    twin = type(model)(feature_weights="none", random_state=0).fit(
        [records[i] for i in rest], [target[i] for i in rest]
    )
    assert (same["answer"]["case"], same["answer"]["without"]) == (None, 9)
    assert 9 not in [near["case"] for near in same["answer"]["neighbours"]]
    for near in [*same["answer"]["neighbours"], same["answer"]["unlike"]]:
        assert near["label"] == str(near["case"])
        assert near["target"] == target[near["case"]]
        parts_add_up(near, same["answer"]["power"])
    assert [n["case"] for n in same["answer"]["neighbours"]] == [n["case"] for n in stored["answer"]["neighbours"]]
    cars.found("/api/method", {"method": "none"})
    k = cars.session.state.estimator.n_neighbors_
    changed = {**stored["answer"]["values"], "age": "2"}
    found = cars.found("/api/look", {"values": changed, "without": 9})["answer"]
    near = twin.kneighbors([{**records[9], "age": 2.0}], k)[1][0]
    assert [n["case"] for n in found["neighbours"]][:k] == [rest[i] for i in near][:8]
    assert cars.ask("/api/look", {"values": changed, "without": 90}).status_code == 400
    where = {"age": {"from": 1}}
    inside = cars.found("/api/look", {"values": changed, "without": 9, "where": where})["answer"]["neighbours"]
    assert 9 not in [n["case"] for n in inside]


def test_weights_move_neighbours_answer_and_score_as_the_library_says(cars):
    before = cars.found("/api/look", {"case": 4})
    model = cars.session.state.estimator
    found = cars.found("/api/weights", {"weights": {"power": 9.5, "age": 0}, "case": 4})
    names = model.schema_.names
    asked = {**dict(zip(names, model.feature_importances_.tolist(), strict=True)), "power": 9.5, "age": 0.0}
    twin = model.with_weights(asked)
    assert {feature["name"]: feature["weight"] for feature in found["state"]["features"]} == pytest.approx(asked)
    assert found["state"]["score"] == pytest.approx(twin.score_loo())
    assert found["state"]["right"] == round(twin.score_loo() * 90)
    assert found["state"]["moved"]
    begin_alike(found["answer"]["neighbours"], twin.explain(StoredCases([4]))[0].neighbours)
    assert found["answer"]["neighbours"] != before["answer"]["neighbours"]
    assert found["map"] != before["map"]
    assert all(dict(near["parts"])["age"] == 0 for near in found["answer"]["neighbours"])


def test_all_weights_at_zero_are_refused_and_nothing_moves(cars):
    names = cars.session.state.estimator.schema_.names
    done = cars.ask("/api/weights", {"weights": dict.fromkeys(names, 0)})
    assert (done.status_code, done.json()["error"].split(":")[0]) == (400, "No feature would count")
    assert not cars.session.state.has_moved


def test_a_kind_is_changed_and_learned_with(cars):
    found = cars.found("/api/kind", {"feature": "plate", "kind": "symbolic", "case": 1})
    plate = next(feature for feature in found["state"]["features"] if feature["name"] == "plate")
    assert (plate["kind"], plate["given"]) == ("symbolic", True)
    records, target = cars.session.source.table, cars.session.source.target
    twin = nw.KNNClassifier(feature_weights="mdw", schema={"plate": nw.Symbolic()}, random_state=0)
    assert found["state"]["score"] == pytest.approx(twin.fit(records, target).score_loo())
    refused = cars.ask("/api/kind", {"feature": "make", "kind": "numeric"})
    assert refused.status_code == 400
    assert cars.found("/api/look", {})["state"] == found["state"]


def test_orders_and_periods_are_kinds_that_can_be_chosen(sizes):
    for feature, kind, name in [("size", "symbolic", "symbolic"), ("size", "ordinal:L:M:S", "ordinal"),
                                ("hour", "numeric", "numeric"), ("hour", "cyclic:12", "cyclic")]:  # fmt: skip
        found = sizes.found("/api/kind", {"feature": feature, "kind": kind})["state"]
        assert {each["name"]: each["kind"] for each in found["features"]}[feature] == name
    assert sizes.session.state.estimator.schema_["hour"].period == 12


def test_undo_goes_back_step_by_step_and_says_what_it_would_undo(cars):
    def state():
        found = cars.found("/api/look", {"case": 2})
        return {name: value for name, value in found["state"].items() if name not in ("version", "undo")}

    seen, told = [state()], []
    for path, body in [
        ("/api/weights", {"weights": {"age": 3}}), ("/api/weights", {"weights": {"km": 3}}),
        ("/api/method", {"method": "none"}), ("/api/kind", {"feature": "plate", "kind": "text"}),
    ]:  # fmt: skip
        told.append(cars.found(path, body)["state"]["undo"])
        seen.append(state())
    assert told == ["weight of age", "weight of km", "method none", "plate as text"]
    for before, left in zip(reversed(seen[:-1]), [*reversed(told[:-1]), None], strict=True):
        assert cars.found("/api/undo", {})["state"]["undo"] == left
        assert state() == before
    assert cars.ask("/api/undo", {}).status_code == 400


def test_one_drag_is_undone_at_once(cars):
    first = cars.found("/api/look", {})["state"]["features"]
    for weight in (0.1, 0.2, 0.3, 0.4):
        cars.found("/api/weights", {"weights": {"age": weight}})
    assert cars.found("/api/undo", {})["state"]["features"] == first


def test_states_to_go_back_to_are_bounded(cars, monkeypatch):
    from nearwise.app.explorer import session

    monkeypatch.setattr(session, "CELLS_UNDONE", 1)
    for name in ("age", "km", "power"):
        cars.found("/api/weights", {"weights": {name: 2}})
    assert cars.found("/api/undo", {})["state"]["undo"] == "weight of km"
    assert cars.found("/api/undo", {})["state"]["undo"] is None
    assert cars.ask("/api/undo", {}).status_code == 400


def test_a_critique_turns_the_answer_and_can_be_undone(sizes):
    state = sizes.found("/api/look", {})["state"]
    turned = None
    for case in state["wrong"]:
        truth = sizes.found("/api/look", {"case": case})["answer"]["truth"]
        for feature in ("age", "size", "hour"):
            body = {"case": case, "correct": truth, "because": {feature: "more"}}
            done = sizes.ask("/api/critique", body)
            if done.status_code == 200:
                turned = case, truth, done.json()
                break
        if turned:
            break
    assert turned, "no critique was possible"
    case, truth, found = turned
    values = sizes.found("/api/look", {"case": case})["answer"]["values"]
    assert sizes.found("/api/look", {"values": values})["answer"]["prediction"] == truth
    assert len(found["state"]["critiques"]) == 1
    assert sizes.found("/api/undo", {})["state"]["critiques"] == []


def test_a_critique_says_where_the_case_itself_left_out_is_still_answered_otherwise(sizes):
    told = {}
    for case in sizes.found("/api/look", {})["state"]["wrong"]:
        truth = sizes.found("/api/look", {"case": case})["answer"]["truth"]
        for feature in ("age", "size", "hour"):
            done = sizes.ask("/api/critique", {"case": case, "correct": truth, "because": {feature: "more"}})
            if done.status_code == 200:
                found = done.json()
                told[found["answer"]["prediction"] == truth] = found["note"]
                sizes.found("/api/undo", {})
    assert told.pop(True, None) is None
    assert all(note.startswith("The critique is taken: a new case with these values is ") for note in told.values())
    answer = {"case": 7, "prediction": "low"}
    assert still_otherwise(answer, "low") is None
    assert still_otherwise({**answer, "case": None}, "high") is None
    assert still_otherwise(answer, "high").endswith("Case 7 itself, left out when it asks, is answered 'low'.")


def test_a_filter_shows_the_nearest_among_the_cases_that_match(cars):
    where = {"make": {"equals": "BMW"}, "age": {"from": "1", "to": 12}}
    records = cars.session.state.estimator.stored_cases()[0]
    inside = [i for i, row in enumerate(records) if row["make"] == "BMW" and row["age"] and 1 <= row["age"] <= 12]
    assert 2 < len(inside) < 40
    found = cars.found("/api/look", {"case": 0, "where": where})
    assert found["answer"]["matching"] == len(inside)
    model = cars.session.state.estimator
    mask = np.isin(np.arange(90), [i for i in inside if i != 0])
    near = model.kneighbors(StoredCases([0]), min(8, int(mask.sum())), where=mask)
    assert [n["case"] for n in found["answer"]["neighbours"]] == near[1][0].tolist()
    assert [n["distance"] for n in found["answer"]["neighbours"]] == pytest.approx(near[0][0].tolist())
    for each in found["answer"]["neighbours"]:
        parts_add_up(each, found["answer"]["power"])
    on_map = dict(zip(found["map"]["cases"], found["map"]["inside"], strict=True))
    assert sorted(case for case, is_inside in on_map.items() if is_inside) == inside
    page = cars.found("/api/cases", {"where": where, "most": 100})
    assert [row["case"] for row in page["rows"]] == inside
    none = cars.found("/api/look", {"case": 0, "where": {"age": {"from": 900, "to": 901}}})
    assert none["answer"]["neighbours"] == []


def test_pages_of_cases_hold_every_case_once_and_the_wrong_ones_alone(cars):
    seen = []
    for first in range(0, 90, 20):
        found = cars.found("/api/cases", {"first": first, "most": 20})
        seen += [row["case"] for row in found["rows"]]
    assert seen == list(range(90))
    wrong = cars.found("/api/look", {})["state"]["wrong"]
    found = cars.found("/api/cases", {"only_wrong": True, "most": 100})
    assert [row["case"] for row in found["rows"]] == wrong
    assert found["matching"] == len(wrong)
    assert all(row["wrong"] for row in found["rows"])


def test_two_methods_are_compared_on_the_same_cases(cars):
    found = cars.found("/api/compare", {"methods": ["none", "mdw"], "case": 5})
    records, target = cars.session.source.table, cars.session.source.target
    said = []
    for each in found["methods"]:
        twin = nw.KNNClassifier(feature_weights=each["method"], random_state=0).fit(records, target)
        assert each["score"] == pytest.approx(twin.score_loo())
        assert list(each["weights"].values()) == pytest.approx(twin.feature_importances_.tolist())
        assert each["says"] == twin.predict(StoredCases([5]))[0]
        said.append(twin.predict())
    assert found["tested"] == 90
    assert found["alike"] == int((said[0] == said[1]).sum())
    assert cars.found("/api/look", {})["state"]["method"] == "mdw"


def test_the_map_has_the_query_where_its_stored_twin_is(cars):
    found = cars.found("/api/look", {"case": 7})["map"]
    assert found["stored"] == len(found["cases"]) == 90
    assert 0 < found["kept"] <= 1
    at = found["cases"].index(7)
    assert found["query"] == pytest.approx([found["x"][at], found["y"][at]], abs=1e-6)


def test_numbers_as_target_have_no_classes_and_no_critique(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    path = tmp_path / "numbers.csv"
    lines = [f"{a},{b},{c},{a + 2 * b}" for a, b, c in X.round(4)]
    path.write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    client = client_of(session_of(path, "y", "default", regression=True))
    found = client.found("/api/look", {"case": 2, "flip": True})
    model = client.session.state.estimator
    assert found["state"]["right"] is None
    assert found["state"]["score"] == pytest.approx(model.score_loo())
    assert float(found["answer"]["prediction"]) == pytest.approx(model.predict(StoredCases([2]))[0])
    assert found["flip"]["found"] is None
    assert "number" in found["flip"]["note"]
    assert client.ask("/api/critique", {"case": 1, "correct": "1", "because": {"a": "more"}}).status_code == 400
    compared = client.found("/api/compare", {"methods": ["none", "corr"]})
    assert compared["alike"] is None
    assert "cdw" not in [method["id"] for method in client.found("/api/about")["methods"]]


def test_a_score_over_a_sample_leaves_out_only_the_sample(cars, monkeypatch):
    from nearwise.app.explorer import session

    monkeypatch.setattr(session, "LEFT_OUT_MOST", 30)
    model = cars.session.state.estimator
    score = score_of(model)
    assert len(score.rows) == 30
    truth = np.asarray(model.stored_cases()[1])
    assert score.value == pytest.approx(np.mean(model.predict()[score.rows] == truth[score.rows]))
    assert set(score.wrong) == set(score.rows[model.predict()[score.rows] != truth[score.rows]])


def test_json_has_no_number_that_browsers_refuse(tmp_path):
    path = tmp_path / "far.csv"
    path.write_text("\n".join(["a,b,y", *(f"{i % 3}e150,{i},{'xy'[i > 5]}" for i in range(12))]) + "\n")
    client = client_of(session_of(path, "y", "none"))
    done = client.ask("/api/weights", {"weights": {"a": 1e12, "b": 1e-300}, "case": 0})
    assert done.status_code == 200
    assert "NaN" not in done.text
    assert "Infinity" not in done.text

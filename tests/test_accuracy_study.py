"""The harness of the accuracy study: measures, duels, kept cells, the page. Needs no peers and computes no study."""

import doctest
import importlib

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("root_on_path")


def module(name):
    return importlib.import_module(f"benchmarks.accuracy.{name}")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder with one set of classes and one of numbers, under names that the study knows."""
    (tmp_path / "regression").mkdir()
    rows = "".join(f"{i}.5,{'uv'[i % 2]},{'yes' if i < 12 else 'no'}\n" for i in range(24)) + "1.0,u,rare\n"
    (tmp_path / "iris.csv").write_text(f"a,b,class\n,,yes\n{rows}")
    lines = "".join(f"{i}.5,{'uv'[i % 2]},{i}.25\n" for i in range(20))
    (tmp_path / "regression" / "prestige.csv").write_text(f"a,b,target\n{lines}")
    features = '{"a": "numeric", "b": "symbolic"}'
    (tmp_path / "MANIFEST.json").write_text(f'{{"sets": {{"iris": {{"file": "iris.csv", "features": {features}}}}}}}')
    sets = module("sets")
    monkeypatch.setenv("NEARWISE_DATA", str(tmp_path))
    monkeypatch.setattr(module("cells"), "KEPT", tmp_path / "kept")
    caches = (sets.classes, sets.numbers, sets.manifest, sets.checksum)
    for cache in caches:
        cache.cache_clear()
    yield tmp_path
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize("name", ["measures", "summary", "page"])
def test_examples_run(name):
    assert doctest.testmod(module(name)).failed == 0


def test_the_plan_is_the_protocol():
    study, sets = module("study"), module("sets")
    plan = study.plan(tiny=False)
    assert len(plan) == len(set(plan))
    assert (len(sets.CLASSES), len(sets.NUMBERS), len(set(sets.CLASSES) - sets.NO_CATBOOST)) == (26, 11, 22)
    usual = [cell for cell in plan if cell.cap == study.CAP]
    assert len(usual) == 3 * (26 * 6 - 4 + 11 * 6)
    assert {cell.seed for cell in plan if cell.cap == study.LARGE_CAP} == {0}


def test_classes_that_cannot_be_in_every_fold_are_left_out_and_missing_values_stay_missing(data):
    table = module("sets").load("iris", 1_000)
    assert sorted(set(table.y)) == ["no", "yes"]
    assert len(table.y) == len(table.X) == 25
    assert np.isnan(table.X["a"][0])
    assert table.X["b"][0] is None


def test_a_draw_keeps_the_shares_of_classes(data):
    table = module("sets").load("iris", 15)
    assert {str(name): int(n) for name, n in zip(*np.unique(table.y, return_counts=True))} == {"no": 7, "yes": 8}


def test_a_folder_without_tables_is_told_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("NEARWISE_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match="NEARWISE_DATA must name a folder with MANIFEST"):
        module("sets").folder()


@pytest.mark.parametrize(("name", "measure"), [("iris", "accuracy"), ("prestige", "r2")])
@pytest.mark.parametrize("method", ["5-NN", "default"])
def test_a_cell_is_computed_once_and_kept(data, name, measure, method):
    cells, study = module("cells"), module("study")
    cell = cells.Cell(name, 0, method, 1_000)
    assert cells.kept(cell) is None
    found = cells.compute(cell)
    assert measure in found
    assert ("covered" in found) == (method == "default")
    assert study.kept([cell]) == {cell: found}
    assert study.run([cell], say=lambda _: None) == []  # without starting a process, as nothing is left to do


def test_a_cell_is_known_by_all_that_its_answers_depend_on(data, monkeypatch):
    cells, sets = module("cells"), module("sets")
    ours, theirs = (cells.Cell("iris", 0, method, 1_000) for method in ("default", "5-NN"))
    before = cells.key(ours), cells.key(theirs)
    assert cells.key(cells.Cell("iris", 1, "5-NN", 1_000)) != before[1]
    assert cells.key(cells.Cell("iris", 0, "5-NN", 4_000)) != before[1]
    monkeypatch.setattr(cells, "code", lambda: "changed")
    assert (cells.key(ours) != before[0], cells.key(theirs) == before[1]) == (True, True)
    path = data / "iris.csv"
    path.write_text(path.read_text().replace("0.5", "0.75"))
    sets.checksum.cache_clear()
    assert cells.key(theirs) != before[1]


def test_a_class_held_impossible_costs_the_clipped_log_loss():
    found = module("measures").of_classes(np.array([0, 1]), np.array([1, 1]), np.array([[0.0, 1.0], [0.0, 1.0]]))
    assert found["logloss"] == pytest.approx(-np.log(0.001) / 2)
    assert found["brier"] == 1.0


def test_less_log_loss_wins_and_equal_sets_are_level():
    duel = module("summary").duel
    found = duel({"a": 0.1, "b": 0.2}, {"a": 0.3, "b": 0.2}, "logloss")
    assert (found.won, found.level, found.lost) == (1, 1, 0)
    assert duel({"a": 1.0}, {"a": 1.0}, "r2").p == 1.0


def test_every_table_has_its_place_on_the_page(tmp_path):
    page, study, tables, cells = (module(name) for name in ("page", "study", "tables", "cells"))
    measured = {"accuracy": 80.0, "balanced": 79.0, "logloss": 0.5, "brier": 0.3, "covered": 90.0, "size": 1.5}
    found = {c: {"r2": 0.5, **measured} if c.has_numbers else dict(measured) for c in study.plan(tiny=False)}
    copy = tmp_path / "defaults.md"
    copy.write_text(page.PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    page.write({**tables.parts(found, tiny=False), "cost": "| the cost |"}, copy)
    text = copy.read_text(encoding="utf-8")
    assert text.count("<!-- generated: ") == len(tables.parts(found, tiny=False)) + 1
    assert "| the cost |" in text
    assert "| **mean** | 80.00 | 80.00 | 80.00 | – | 80.00 | 80.00 |" in text  # CatBoost has not all sets
    assert cells.KEPT.name == "accuracy"


def test_a_page_that_lost_a_place_is_told():
    with pytest.raises(ValueError, match="has no place <!-- generated: x -->"):
        module("page").replaced("no markers", "x", "new")


def test_made_cases_of_the_cost_have_ten_numbers_and_ten_symbols():
    table = module("cost").made(50, seed=0)
    assert (len(table.names("numeric")), len(table.names("symbolic")), len(set(table.y))) == (10, 10, 2)

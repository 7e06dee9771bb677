"""Published beside obtained, with an experiment whose numbers are given."""

import json
import math
from importlib.resources import files

import pytest

from nearwise.errors import InputError
from nearwise.lab.reproduce.experiment import Cell, Claim, Experiment, Outcome, experiments, get
from nearwise.lab.reproduce.found import Found
from nearwise.lab.reproduce.page import markdown
from nearwise.lab.reproduce.published import Printed, Table, table
from nearwise.lab.reproduce.size import Size

HELD = json.loads(files("nearwise.lab.reproduce").joinpath("published.json").read_text(encoding="utf-8"))


class Toy(Experiment):
    id, title, paper, where = "toy", "A toy", "nobody1999", "Table 9"
    protocol, control = "As it comes.", "plain"
    outcome = Outcome(
        [Cell("a", "plain", 70.2, 0.1), Cell("a", "weighted", 79.0, 0.1, honest=74.0), Cell("b", "plain", 50.0)],
        [Claim("T1", "Weights help.", True, "By 8.8 points.")],
        notes=["a note"],
    )

    def run(self, size):
        return self.outcome


class Relative(Toy):
    relative = True
    outcome = Outcome([Cell("a", "plain", 70.0, 0.1), Cell("a", "weighted", 9.0, 0.1)])


PRINTED = Table("p. 1", {("a", "plain"): Printed("70.0", 0.2), ("a", "weighted"): Printed("75.0", 0.2)}, ("a remark",))


def found(made=Toy):
    return Found(made(), Size("tiny"), made().run(Size("tiny")), PRINTED, 1.0)


def test_each_cell_stands_beside_what_was_printed():
    pairs = found().pairs
    assert [pair.agreement for pair in pairs] == ["within", "same sign", "not printed"]
    assert [None if pair.printed is None else pair.printed.value for pair in pairs] == [70.0, 75.0, None]
    assert found().counts == {"within": 1, "same sign": 1, "not printed": 1}


def test_a_printed_difference_has_the_spread_of_two_controls():
    printed = Table("p. 1", {("a", "plain"): Printed("70.0", 1.0), ("a", "weighted"): Printed("6.2", float("nan"))})
    pair = Found(Relative(), Size(), Relative().run(Size()), printed, 1.0).pairs[1]
    assert pair.printed.error == pytest.approx(math.sqrt(2))
    # 9.0 - 6.2 = 2.8 and two errors are 2 sqrt(2 + 0.01) = 2.84
    assert pair.agreement == "within"


def test_a_printed_difference_has_its_own_sign():
    printed = Table("p. 1", {("a", "plain"): Printed("70.0", 0.1), ("a", "weighted"): Printed("-3.0", float("nan"))})
    assert Found(Relative(), Size(), Relative().run(Size()), printed, 1.0).pairs[1].agreement == "differs"


def test_json_has_published_obtained_spread_and_agreement_for_every_cell():
    told = found().to_json()
    assert told["cells"][1] == {
        "row": "a", "column": "weighted", "published": 75.0, "published_error": 0.2, "obtained": 79.0, "spread": 0.1,
        "honest": 74.0, "honest_spread": pytest.approx(float("nan"), nan_ok=True), "agreement": "same sign", "note": "",
    }  # fmt: skip
    assert told["claims"][0]["holds"] is True
    assert told["notes"] == ["a note", "a remark"]


def test_the_page_shows_published_and_obtained():
    page = markdown(found(), ["toy.svg"])
    assert "| a | 70.0 → 70.2 ± 0.1 ≈ | 75.0 → 79.0 ± 0.1 ~ (honest 74.0) |" in page
    assert "| b | 50.0 |  |" in page
    assert "- **T1** (holds): Weights help. By 8.8 points." in page
    assert "![A toy](toy.svg)" in page


def test_a_wide_table_is_turned_on_the_page():
    class Wide(Toy):
        outcome = Outcome([Cell("a", f"k={k}", 50.0 + k) for k in range(1, 12)])

    page = markdown(Found(Wide(), Size("tiny"), Wide().run(Size("tiny")), Table("", {}), 1.0))
    assert "| | a |" in page
    assert "| k=11 | 61.0 |" in page


def test_a_name_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"no experiment 'howe-cardy-1'.*howe-cardie-1"):
        get("howe-cardy-1")


@pytest.mark.parametrize("name", HELD)
def test_every_printed_table_has_its_experiment_and_its_page(name):
    assert name in experiments()
    assert table(name).page
    for printed in table(name).cells.values():
        assert math.isfinite(printed.value)


def test_at_least_twelve_tables_and_figures_are_repeated():
    assert len(experiments()) >= 12
    assert len({made.title for made in experiments().values()}) == len(experiments())


def test_no_code_but_the_report_reads_what_was_published():
    root = files("nearwise.lab.reproduce")
    readers = [
        path.name
        for path in [*root.iterdir(), *root.joinpath("experiments").iterdir()]
        if path.name.endswith(".py") and "reproduce.published" in path.read_text(encoding="utf-8")
    ]
    assert sorted(readers) == ["found.py"]

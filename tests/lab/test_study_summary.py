"""Ranks, gains and costs of small made-up studies, worked by hand."""

import json
import random

import pytest

from nearwise.lab.study.cost import costs
from nearwise.lab.study.curves import MEAN, curves
from nearwise.lab.study.drawing import pictures
from nearwise.lab.study.gains import gains, gains_by_tag
from nearwise.lab.study.outcomes import Outcomes
from nearwise.lab.study.page import markdown
from nearwise.lab.study.plan import Plan
from nearwise.lab.study.run import COLUMNS, Study
from nearwise.lab.study.standing import groups, standing
from nearwise.lab.study.summary import summary


def rows_of(scores, part="main", at=0, seconds=1.0):
    """Two folds a point to both sides of each score; a word instead of a score is a status."""
    found = []
    for name, by_method in scores.items():
        for method, score in by_method.items():
            told = {"part": part, "set": name, "at": at, "target": "class", "method": method, "reason": "", "cases": 9}
            row = {**dict.fromkeys(COLUMNS), **told, "features": 2, "seconds": seconds}
            if isinstance(score, str):
                found.append({**row, "fold": 0, "status": score})
                continue
            for fold, off in enumerate((-0.01, 0.01)):
                found.append({**row, "fold": fold, "status": "answered", "accuracy": score + off})
    return found


SCORES = {
    "a": {"none": 0.80, "gr": 0.90, "ga": 0.85},
    "b": {"none": 0.70, "gr": 0.70, "ga": "over budget"},
    "c": {"none": 0.60, "gr": 0.50, "ga": 0.70},
    "c+copies": {"none": 0.10, "gr": 0.90, "ga": 0.95},
}
TAGS = {"a": ("mixed",), "b": ("mixed",), "c": ("irrelevant",), "c+copies": ("redundant", "mixed")}


def study(rows):
    return Study(tuple(rows), TAGS, frozenset({"c+copies"}), {}, Plan((), {}, {}, folds=2))


def test_ranks_are_over_sets_that_are_no_variants_and_over_budget_is_last():
    found = standing("all", ["none", "gr", "ga"], Outcomes(rows_of(SCORES), 2), {"c+copies"})
    # a: gr, ga, none; b: none and gr tie at 1.5, ga last; c: ga, none, gr
    assert found.sets == ("a", "b", "c")
    assert found.ranks.mean_ranks == pytest.approx(((3 + 1.5 + 2) / 3, (1 + 1.5 + 3) / 3, (2 + 3 + 1) / 3))


def test_methods_that_refuse_many_sets_and_sets_that_are_refused_are_left_out():
    scores = {f"s{i}": {"none": 0.5, "gr": 0.6, "nca": "refused", "ig": 0.7} for i in range(20)}
    scores["s3"]["ig"] = "refused"  # one of twenty: ig stays, the set goes
    found = standing("all", ["none", "gr", "nca", "ig"], Outcomes(rows_of(scores), 2))
    assert found.left_out == ("nca",)
    assert found.without == ("s3",)
    assert found.ranks.sets == 19
    assert found.ranks.mean_ranks == (3.0, 2.0, 1.0)


def test_sets_whose_folds_are_not_all_there_do_not_count():
    rows = [row for row in rows_of(SCORES) if not (row["set"] == "c" and row["fold"] == 1)]
    outcomes = Outcomes(rows, 2)
    assert outcomes.of("c", "gr").status == "unfinished"
    assert standing("all", ["none", "gr"], outcomes).sets == ("a", "b", "c+copies")


def test_gains_are_paired_with_plain_neighbours_on_the_same_sets():
    gr, ga = gains("all sets", ["a", "b", "c"], ["none", "gr", "ga"], Outcomes(rows_of(SCORES), 2))
    assert (gr.method, gr.sets, gr.won, gr.level, gr.lost) == ("gr", 3, 1, 1, 1)
    assert gr.mean == pytest.approx(0.0)
    assert (ga.sets, ga.won, ga.lost) == (2, 2, 0)
    assert ga.mean == pytest.approx(7.5)
    assert ga.p == 0.5  # of the four ways to give two gains signs, two are as far from 0
    assert ga.p_holm == 1.0


def test_variants_count_only_where_they_are_what_the_tag_is_about():
    found = gains_by_tag(Outcomes(rows_of(SCORES), 2), TAGS, {"c+copies"}, ["none", "gr"])
    assert [(gain.tag, gain.sets) for gain in found] == [
        ("all sets", 3), ("irrelevant", 1), ("redundant", 1), ("mixed", 2),
    ]  # fmt: skip


def test_costs_count_a_set_over_budget_as_the_budget():
    rows = rows_of(SCORES)
    for row in rows:
        row["seconds"] = 20.0 if row["status"] == "over budget" else {"none": 1.0, "gr": 3.0, "ga": 8.0}[row["method"]]
    none, gr, ga = costs(Outcomes(rows, 2), ["none", "gr", "ga"], {"c+copies"})
    assert (none.ratio, gr.ratio, gr.seconds) == (1.0, 3.0, 3.0)
    assert (ga.seconds, ga.ratio, ga.answered, ga.over) == (12.0, 8.0, 2, 1)
    assert gr.score == pytest.approx(0.7)


def test_the_mean_curve_is_over_sets_that_all_methods_answered():
    few = {"a": {"none": 0.5, "gr": 0.6}, "b": {"none": 0.7, "gr": 0.8}, "c": {"none": 0.1, "gr": 0.1}}
    many = {"a": {"none": 0.6, "gr": 0.7}, "b": {"none": 0.8, "gr": 1.0}, "c": {"none": 0.1, "gr": "refused"}}
    rows = [*rows_of(few, "curves", 50), *rows_of(many, "curves", 100)]
    found = {(p.method, p.at): p.score for p in curves(Outcomes(rows, 2, "curves")) if p.set == MEAN}
    assert found == pytest.approx({("none", 50): 0.6, ("none", 100): 0.7, ("gr", 50): 0.7, ("gr", 100): 0.85})


def test_groups_go_by_the_place_of_a_method():
    found = groups(["none", "gr", "relief-f", "mdw", "forward", "HVDM", "random-forest"])
    assert found["preset"] == ("none", "gr")
    assert found["feedback"] == ("none", "relief-f")
    assert found["selection"] == ("none", "forward")
    assert found["local"] == ("none", "mdw")
    assert found["metrics"] == ("none", "HVDM")


def test_the_same_rows_give_the_same_page_in_whatever_order_folds_came():
    rows = [*rows_of(SCORES), *rows_of({"a": {"none": 0.5, "gr": 0.6}}, "curves", 50)]
    found = summary(study(rows))
    other = list(rows)
    random.Random(0).shuffle(other)
    order = {(row["part"], row["set"], row["method"]): i for i, row in reversed(list(enumerate(rows)))}
    other.sort(key=lambda row: order[row["part"], row["set"], row["method"]])
    again = summary(study(other))
    assert json.dumps(found.to_json()) == json.dumps(again.to_json())
    assert markdown(found, pictures(found)) == markdown(again, pictures(again))
    assert pictures(found) == pictures(again)


def test_the_page_marks_what_has_no_score():
    page = markdown(summary(study(rows_of(SCORES))))
    assert "| ga | 85.0 | t | 70.0 | 95.0 |" in page
    assert "| none | 80.0 | 70.0 | 60.0 | 10.0 |" in page

"""The harness of the benchmarks: turns, medians, scaling, agreement. Needs no peers and times nothing."""

import importlib
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from .spreadsheets import package

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.usefixtures("root_on_path")


def module(name):
    return importlib.import_module(f"benchmarks.{name}")


def works():
    return module("__main__").works()


def contender(name, seconds, answer=None, **settings):
    """One that says how long it took: a fixed cost and so much a query."""
    timing = module("timing")
    fixed, each = seconds

    def make(data):
        return timing.Ready(lambda m: timing.Timed(fixed + each * m, None if answer is None else answer[:m]))

    return timing.Contender(name, make, **settings)


def raced(*contenders, queries=100, absent=lambda c: "", patience=20.0):
    timing = module("timing")
    work = timing.Work("work", "a work", lambda tiny: None, contenders, repeats=3)
    told = []
    return timing.race(work, SimpleNamespace(queries=queries), absent, patience, told.append), told


def test_contenders_run_in_turns():
    timing = module("timing")
    order = []

    def make(name):
        return lambda data: timing.Ready(lambda m: order.append((name, m)))

    raced(timing.Contender("a", make("a"), compared=False), timing.Contender("b", make("b"), compared=False))
    assert [name for name, m in order if m == 100] == ["a", "b"] * 3


def test_a_ratio_is_the_median_over_rounds():
    timing = module("timing")
    ours = timing.Result(None, times=[1.0, 1.0, 4.0])
    theirs = timing.Result(None, times=[2.0, 3.0, 40.0])
    assert timing.ratio(theirs, ours) == 3.0
    assert timing.ratio(timing.Result(None, times=[8.0], scaled=True), ours) == 8.0


def test_a_slow_contender_is_scaled_by_its_slope_and_labelled():
    (slow, fast), _ = raced(contender("slow", (3.0, 7.0)), contender("fast", (0.0, 0.001)), queries=1000)
    assert slow.scaled
    assert slow.times == [pytest.approx(7000.0)]
    assert not fast.scaled
    assert len(fast.times) == 3


def test_answers_are_compared_with_ours_on_the_queries_that_both_had():
    answer = np.arange(1.0, 101.0)
    wrong = answer.copy()
    wrong[0] *= 1.01
    (_, same, other), _ = raced(
        contender("ours", (0, 0), answer, ours=True),
        contender("same", (0, 5), answer),
        contender("other", (0, 0), wrong),
    )
    disagrees = module("timing").disagrees
    assert same.scaled
    assert same.deviation == 0
    assert not disagrees(same)
    assert disagrees(other)


def test_a_shape_or_a_number_that_is_missing_is_no_agreement():
    deviation = module("timing").relative_deviation
    assert deviation([1.0], [1.0, 2.0]) == np.inf
    assert deviation([1.0, np.nan], [1.0, 2.0]) == np.inf
    assert deviation([np.inf, 0.0], [np.inf, 0.0]) == 0


def test_a_peer_that_is_absent_or_fails_is_reported_and_ours_fails_the_run():
    timing, page = module("timing"), module("page")

    def broken(data):
        raise OSError("no such instruction")

    results, told = raced(
        contender("gone", (0, 0)),
        timing.Contender("peer", broken),
        timing.Contender("ours", broken, ours=True),
        absent=lambda c: "not installed" if c.name == "gone" else "",
    )
    work = timing.Work("work", "a work", lambda tiny: None, ())
    assert [r.absent for r in results] == ["not installed", *["failed: OSError: no such instruction"] * 2]
    assert page.Found([(work, results)], [], True).failures() == ["work: ours failed: OSError: no such instruction"]
    assert any("Traceback" in line for line in told)
    assert "no such instruction" in "\n".join(page.lines(work, results))


def test_every_target_is_about_a_contender_that_takes_part():
    known = {(work.name, c.name) for work in works().values() for c in work.contenders}
    targets = module("targets").TARGETS
    assert [t for t in targets if (t.work, t.contender) not in known] == []
    assert len({(t.work, t.contender) for t in targets}) == len(targets)


def test_every_work_has_one_of_ours_first_and_names_its_peers():
    packages = {*module("peers").PACKAGES, module("peers").TIMBL}
    for work in works().values():
        assert len({c.name for c in work.contenders}) == len(work.contenders)
        assert {m for c in work.contenders for m in c.needs} <= packages
        if any(c.ours for c in work.contenders):  # methods that nearwise does not have yet are left to peers
            assert work.contenders[0].ours


def test_every_peer_is_installed_by_the_list():
    listed = set(re.findall(r"^[a-z-]+", (ROOT / "benchmarks" / "peers.txt").read_text(), flags=re.M))
    assert listed == set(module("peers").PACKAGES.values())


def test_growth_that_is_not_linear_or_takes_too_much_memory_is_told():
    growth = module("growth")

    def point(n, seconds, peak):
        return growth.Point(growth.Setting("numbers", n), seconds, peak, 100.0, "native")

    good = growth.Curve("good", "n", [point(10_000, 1.0, 150.0), point(100_000, 11.0, 390.0)])
    bad = growth.Curve("bad", "n", [point(10_000, 1.0, 150.0), point(100_000, 20.0, 500.0)])
    assert good.complaints() == []
    assert [c.split(" ")[0] for c in bad.complaints()] == ["time", "memory"]


def test_a_drag_of_the_explorer_is_measured_over_the_request_that_the_page_sends():
    package("httpx")
    package("fastapi")
    from benchmarks.explorer import measure

    drags = list(measure(60, 4, 2))
    assert [(drag.method, drag.with_map) for drag in drags[:4]] == [
        ("gr", True), ("gr", False), ("default", True), ("default", False),
    ]  # fmt: skip
    assert {drag.table for drag in drags} == {"numbers", "numbers and symbols"}
    assert all(drag.processor > 0 and drag.wall > 0 for drag in drags)
    assert drags[0].kilobytes > drags[1].kilobytes > 1


def test_page_and_picture_show_every_contender():
    page, timing, growth = module("page"), module("timing"), module("growth")
    work = works()["dense-16"]
    results = [timing.Result(c, times=[1.0 + i], fit=0.1) for i, c in enumerate(work.contenders)]
    points = [growth.Point(growth.Setting("numbers", n), n / 1e6, 100.0, 1.0, "native") for n in (1_000, 10_000)]
    found = page.Found([(work, results)], [growth.Curve("a curve", "n", points)], False)
    text, drawing = page.markdown(found), page.picture(found)
    for c in work.contenders:
        assert c.name in text
        assert c.ours or c.name in drawing
    assert "| scikit-learn brute f64 | 2 | 0.1 | 2x | 10x | no |" in text
    assert str(ROOT) not in text
    assert drawing.count("<polyline") == 1

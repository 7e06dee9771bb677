"""The fuzzer: what it is told to find it finds, what it found can be run again, and without a fault it is quiet."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nearwise.native import core

ROOT = Path(__file__).parents[1]
ATTEMPTS = 400
"""a minute of `make fuzz` makes at least as many in the lane that searches"""
KERNELS = (
    "codes-ties-too-narrow", "codes-ties-too-wide", "tree-ties-too-narrow", "tree-ties-too-wide",
    "dense-ties-too-narrow", "dense-ties-too-wide", "scan-ties-too-narrow", "scan-ties-too-wide", "texts-ties-too-wide",
    "dense-last-of-ties", "tree-last-of-ties", "dense-single-precision-decides", "codes-single-precision-decides",
    "tree-box-passed-over",
)  # fmt: skip
ONE_OF_EACH = (
    "codes-ties-too-narrow", "tree-box-passed-over", "dense-ties-too-wide", "scan-ties-too-narrow",
    "scan-ties-too-wide", "texts-ties-too-wide",
)  # fmt: skip
ELSEWHERE = {
    "every-tie-too-wide": "search",
    "two-stage-bound-too-tight": "search",
    "votes-of-ties-dropped": "votes",
    "forgotten-cases-stay": "growth",
    "no-checksum": "models",
    "reader-lets-tracebacks-out": "readers",
}
pytestmark = pytest.mark.usefixtures("root_on_path")


def module(name):
    return importlib.import_module(f"fuzz.{name}")


def fails(lane, seed, fault=""):
    lanes = module("lanes")
    with module("faults").planted(fault):
        try:
            lanes.LANES[lane].attempt()(lanes.generator(lane, seed))
        except Exception as error:
            return error
    return None


def found(lane, fault):
    """The first seed that fails with a fault and holds without it."""
    for seed in range(1, ATTEMPTS):
        if fails(lane, seed, fault) is not None and fails(lane, seed) is None:
            return seed
    return None


@pytest.mark.parametrize("fault", ONE_OF_EACH)
def test_a_kernel_with_a_wrong_tie_rule_or_bound_is_found(fault):
    if core() is None:
        pytest.skip("the native core is not built")
    assert found("search", fault) is not None


@pytest.mark.thorough("the other faults of the same kernels")
@pytest.mark.parametrize("fault", [fault for fault in KERNELS if fault not in ONE_OF_EACH])
def test_every_further_fault_of_a_kernel_is_found(fault):
    if core() is None:
        pytest.skip("the native core is not built")
    assert found("search", fault) is not None


@pytest.mark.parametrize("fault", ELSEWHERE)
def test_a_fault_outside_the_kernels_is_found(fault):
    assert found(ELSEWHERE[fault], fault) is not None


@pytest.mark.thorough("processes are killed until a model is half written; one kill at a time is in tests/storage")
def test_a_model_that_is_saved_in_place_is_found(tmp_path):
    kills = module("kills")
    for seed in range(20):
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            kills.while_saving(np.random.default_rng(seed), folder, "saves-in-place")
        except Exception:
            return
    pytest.fail("a half-written model was never found")


def test_every_planted_fault_is_in_these_tests():
    told = {"", "saves-in-place", "dense-dies", "dense-hangs", *KERNELS, *ELSEWHERE}
    assert set(module("faults").FAULTS) == told


def test_every_method_that_merges_and_every_engine_is_fuzzed():
    from nearwise.weighting import Mergeable, methods

    exact = {name for name, made in methods().items() if issubclass(made, Mergeable) or made.learns_again}
    assert exact - {"ebl"} | {"none"} == set(module("growth").mergeable())
    served = set()
    draw, build, plan = module("draw"), module("build"), importlib.import_module("nearwise.search.plan")
    for seed in range(60):
        with np.errstate(all="ignore"):
            distance, _, _ = build.built(draw.problem(np.random.default_rng(seed)))
        served |= {name for name, engine in plan.ENGINES.items() if not engine.refuses(distance)}
    fallbacks = {"matrix", "forms", "local", "two-stage", "blocks", "reference"}
    assert served == set(plan.ENGINES) if core() is not None else fallbacks <= served


def command(*arguments):
    path = os.pathsep.join([str(ROOT), *(p for p in sys.path if p)])
    return subprocess.run(
        [sys.executable, "-m", "fuzz", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_a_process_that_dies_is_reported_with_a_command_that_dies_again():
    if core() is None:
        pytest.skip("the native core is not built")
    done = command("--seconds", "30", "--seed", "7", "--lane", "search", "--plant", "dense-dies")
    assert done.returncode == 1
    died = next(line for line in done.stdout.splitlines() if "the process died" in line)
    seed = died.removeprefix("FAILED search:").split(":")[0]
    replay = next(line for line in done.stdout.splitlines() if f"--replay search:{seed}" in line)
    assert command(*replay.split("-m fuzz ")[1].split()).returncode < 0


def test_an_attempt_that_hangs_is_reported_with_its_seed(monkeypatch, capsys):
    if core() is None:
        pytest.skip("the native core is not built")
    run, lanes = module("run"), module("lanes")
    monkeypatch.setitem(lanes.LANES, "search", lanes.Lane("search", limit=1.0))
    monkeypatch.setattr(run, "GRACE", 14.0)
    report = run.Report("search")
    seed = next(s for s in range(1, 50) if _asks_dense(s))
    assert run._process(report, seed, 600.0, "dense-hangs") == seed + 1
    assert "hangs" in report.failures[seed]
    assert f"--replay search:{seed} --plant dense-hangs" in capsys.readouterr().out


def _asks_dense(seed):
    draw, build, lanes = module("draw"), module("build"), module("lanes")
    with np.errstate(all="ignore"):  # as in the lane: numbers may be too large for a mean
        distance, _, _ = build.built(draw.problem(lanes.generator("search", seed)))
    return not importlib.import_module("nearwise.search.index.dense").DenseIndex.refuses(distance)


@pytest.mark.parametrize("which", ["search", "search:", "nothing:1", "search:x"])
def test_a_replay_that_names_nothing_is_told(which):
    done = command("--replay", which)
    assert done.returncode == 1
    assert "expected a lane and a seed" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_compiled_into_the_kernels_is_still_there_to_be_changed():
    for change in module("kernels").FAULTS.values():
        assert (ROOT / "native" / change.file).read_text(encoding="utf-8").count(change.line) == 1

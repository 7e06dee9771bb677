"""doctor: what is installed, what is fast, how a file would be searched."""

import os
import sys

from nearwise import KNNClassifier, __version__, read
from nearwise.app import doctor
from nearwise.native import core


def test_it_says_what_is_installed(nearwise):
    done = nearwise("doctor")
    assert (done.code, done.err) == (0, "")
    shown = dict(line.split(None, 1) for line in done.out.splitlines())
    assert shown["nearwise"] == __version__
    assert shown["Python"].startswith(".".join(map(str, sys.version_info[:3])))
    assert "numpy" in shown["packages"]


def test_as_json_it_names_every_package_found_or_not(nearwise, monkeypatch):
    monkeypatch.setattr(doctor, "OPTIONAL", {"no-such-package": "extra"})
    found = nearwise("doctor", "--json").json
    assert found["optional"] == {"no-such-package": None}
    assert found["plan"] is None
    assert found["threads"] >= 1
    assert "not found    no-such-package: pip install 'nearwise[extra]'" in nearwise("doctor").out


def test_it_names_the_instruction_set_of_the_native_core(nearwise):
    native = nearwise("doctor", "--json").json["native"]
    loaded = core()
    assert native["in_use"] == (loaded is not None)
    if loaded is None:
        assert "NEARWISE_NATIVE=0" in native["remedy"] or "C++20 compiler" in native["remedy"]
    else:
        assert native["instruction_set"] == loaded.instruction_set()
        assert f"in use ({native['instruction_set']})" in nearwise("doctor").out


def test_it_says_how_to_get_the_fast_build(nearwise, monkeypatch):
    monkeypatch.setattr("nearwise.native.core", lambda: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    out = nearwise("doctor").out
    assert "native core  not in use\n             Everything works through NumPy" in out
    assert "`make build`" in out


def test_a_core_that_is_switched_off_is_told_from_one_that_was_not_built(nearwise, monkeypatch):
    monkeypatch.setattr("nearwise.native.core", lambda: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert "switched off by NEARWISE_NATIVE=0" in nearwise("doctor").out


def test_a_core_that_does_not_load_is_no_bug_of_the_doctor(nearwise, monkeypatch):
    def broken():
        raise ImportError("made for another machine")

    monkeypatch.setattr("nearwise.native.core", broken)
    done = nearwise("doctor")
    assert done.code == 0
    assert "does not load here (made for another machine)" in done.out


def test_threads_are_those_that_a_search_would_use(process):
    few = {**os.environ, "OMP_NUM_THREADS": "1"}
    assert process("doctor", "--json", env=few).json["threads"] == 1


def test_the_plan_of_a_file_is_the_classifier_s(nearwise, play):
    X, y = read(play, "class", schema={"class": "symbolic"})
    expected = KNNClassifier(n_neighbors=1).fit(X, y).plan_
    assert nearwise("doctor", play, "--target", "class").out.endswith(f"{expected.describe()}\n")
    plan = nearwise("doctor", play, "--target", "class", "--json").json["plan"]
    assert (plan["engine"], plan["cases"], plan["rejected"]) == (expected.engine.name, 16, expected.rejected)


def test_settings_reach_the_plan(nearwise, play):
    told = nearwise("doctor", play, "--target", "class", "--differences", "sky=mvdm", "--p", "2", "--k", "3").out
    assert "sky: Symbolic, mvdm" in told
    assert "difference^2" in told


def test_without_a_target_cases_are_only_searched(nearwise, play):
    assert "  class: Symbolic" in nearwise("doctor", play, "--kind", "class=symbolic").out
    assert "  heat:" not in nearwise("doctor", play, "--target", "heat", "--regression").out


def test_what_cannot_be_examined_is_refused(nearwise, play):
    assert "Name the FILE" in nearwise("doctor", "--target", "class").err
    assert "name its column with --target" in nearwise("doctor", play, "--regression").err
    done = nearwise("doctor", "nothing.csv")
    assert (done.code, done.out) == (2, "")
    assert "nothing.csv" in done.err

"""Knowledge on the command line: trees of symbols."""

import nearwise as nw


def test_a_tree_is_named_with_its_kind_and_comes_back_in_the_schema(nearwise, play, tmp_path):
    (tmp_path / "sky.txt").write_text("weather\n  dry\n    sun\n  wet\n    rain\n", encoding="utf-8")
    done = nearwise("schema", play, "--target", "class", "--kind", "sky=symbolic:sky.txt", "--json")
    tree = {"weather": {"dry": {"sun": {}}, "wet": {"rain": {}}}}
    assert done.json["features"]["sky"] == {"kind": "Symbolic", "tree": tree}
    (tmp_path / "kinds.json").write_text(done.out, encoding="utf-8")
    fit = ("fit", play, "--target", "class", "--schema", "kinds.json", "--out", "m.nearwise", "--weights", "none")
    assert nearwise(*fit).code == 0
    assert "sky: Symbolic, wu-palmer" in nw.load("m.nearwise").plan_.describe()


def test_a_tree_that_lacks_a_value_is_told_in_one_sentence(nearwise, play, tmp_path):
    (tmp_path / "sky.txt").write_text("weather\n  sun\n  rian\n", encoding="utf-8")
    done = nearwise("weights", play, "--target", "class", "--kind", "sky=symbolic:sky.txt")
    assert done.code == 2
    assert "'rain' of feature 'sky' is not in its tree. Did you mean 'rian'?" in " ".join(done.err.split())
    (tmp_path / "sky.txt").write_text("weather\n  sun\n rain\n", encoding="utf-8")
    done = nearwise("weights", play, "--target", "class", "--kind", "sky=symbolic:sky.txt")
    assert "sky.txt, line 3" in done.err


def test_costs_come_with_fit_and_are_told_by_explain(nearwise, play, tmp_path):
    (tmp_path / "costs.csv").write_text("true,01,02\n01,0,50\n02,1,0\n", encoding="utf-8")
    fit = ("fit", play, "--target", "class", "--weights", "none", "--k", "9", "--vote=majority", "--out", "m.nearwise")
    assert nearwise(*fit, "--costs", "costs.csv").code == 0
    dear = nearwise("predict", "m.nearwise", play).out
    assert nearwise(*fit).code == 0
    assert dear.count(",01") > nearwise("predict", "m.nearwise", play).out.count(",01")
    assert nearwise(*fit, "--costs", "costs.csv").code == 0
    assert "expected cost: 01" in nearwise("explain", "m.nearwise", play, "--rows", "9").out
    done = nearwise(*fit, "--costs", "costs.csv", "--regression")
    assert "--costs is about classes" in done.err
    (tmp_path / "costs.csv").write_text("true,01,02\n01,0\n", encoding="utf-8")
    assert "costs.csv, line 2: expected 2 costs" in nearwise(*fit, "--costs", "costs.csv").err


def test_methods_are_compared_by_costs(nearwise, play, tmp_path):
    (tmp_path / "costs.csv").write_text("true,01,02\n01,0,50\n02,1,0\n", encoding="utf-8")
    command = ("evaluate", play, "--target", "class", "--weights", "none,gr", "--cv", "4", "--costs", "costs.csv")
    assert nearwise(*command, "--json").json["measure"] == "mean cost"
    done = nearwise(*command, "--report", "report.html")
    assert "mean cost ± spread" in done.out
    assert "cheapest class" in done.out
    assert "less is better" in done.err
    assert "Less is better" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_rules_come_with_the_method_that_explains_by_them(nearwise, play, tmp_path):
    (tmp_path / "theory.txt").write_text("01 <- heat < 8\n02 <- heat >= 8\n", encoding="utf-8")
    fit = ("fit", play, "--target", "class", "--weights", "ebl", "--out", "m.nearwise")
    assert nearwise(*fit, "--knowledge", "theory.txt").code == 0
    (tmp_path / "theory.txt").unlink()
    assert nearwise("predict", "m.nearwise", play).out.count(",01") == 8
    assert "pass --knowledge theory.txt" in nearwise(*fit).err
    done = nearwise("fit", play, "--target", "class", "--knowledge", "theory.txt", "--out", "m.nearwise")
    assert "--knowledge theory.txt is for --weights ebl, which is not named" in done.err


def test_rules_are_evaluated_beside_other_methods(nearwise, play, tmp_path):
    (tmp_path / "theory.txt").write_text("01 <- heat < 8\n02 <- heat >= 8\n", encoding="utf-8")
    command = ("evaluate", play, "--target", "class", "--weights", "none,ebl", "--knowledge", "theory.txt", "--cv", "4")
    done = nearwise(*command, "--json").json
    assert [each["method"] for each in done["methods"]] == ["none", "ebl"]
    assert "were given" not in done["how"]
    (tmp_path / "theory.txt").write_text("01 <- heat < 8\n02 <- haet >= 8\n", encoding="utf-8")
    fit = ("fit", play, "--target", "class", "--weights", "ebl", "--knowledge", "theory.txt", "--out", "m.nearwise")
    assert "theory.txt, line 2: there is no feature 'haet'. Did you mean 'heat'?" in nearwise(*fit).err


def test_an_answer_is_corrected_listed_and_undone(nearwise, tmp_path):
    (tmp_path / "seen.csv").write_text("fur,size,class\nred,3,fox\nred,9,hare\ngrey,9,hare\n", encoding="utf-8")
    (tmp_path / "new.csv").write_text("fur,size\ngrey,8\nred,7\n", encoding="utf-8")
    fit = ("fit", "seen.csv", "--target", "class", "--weights", "none", "--k", "1", "--out", "m.nearwise")
    assert nearwise(*fit).code == 0
    assert nearwise("predict", "m.nearwise", "new.csv").out.splitlines() == ["row,prediction", "0,hare", "1,hare"]
    right = ("critique", "m.nearwise", "new.csv", "--row", "1", "--class", "fox")
    done = nearwise(*right, "--less", "size")
    assert done.code == 0
    assert "hare should be fox, because size counts less" in done.err
    assert nearwise("predict", "m.nearwise", "new.csv").out.splitlines() == ["row,prediction", "0,hare", "1,fox"]
    assert nearwise("critique", "m.nearwise", "--list").out.startswith("1. hare should be fox")
    listed = nearwise("critique", "m.nearwise", "--list", "--json").json
    assert listed[0]["changes"] == [{"case": 0, "feature": "size", "factor": 0.125}]
    assert "undone: hare should be fox" in nearwise("critique", "m.nearwise", "--undo").err
    assert nearwise("predict", "m.nearwise", "new.csv").out.splitlines()[2] == "1,hare"
    assert nearwise("critique", "m.nearwise", "--list").out.strip() == "There is no critique."
    before = (tmp_path / "m.nearwise").read_bytes()
    for wrong, told in [
        (("--more", "fur"), "does not turn 'hare' into 'fox'"),
        (("--more", "size", "--less", "size"), "'size' cannot count more and less at once"),
        ((), "say what should count"),
        (("--more", "sise"), "There is no feature 'sise'"),
        (("--undo",), "Expected --class with --more or --less"),
    ]:
        done = nearwise(*right, *wrong)
        assert done.code == 2
        assert told in done.err
    assert "rows 0 to 1" in nearwise(*right[:4], "7", *right[5:], "--more", "size").err
    assert "name the FILE" in nearwise("critique", "m.nearwise", "--class", "fox", "--more", "size").err
    assert (tmp_path / "m.nearwise").read_bytes() == before


def test_what_predicts_numbers_cannot_be_criticised(nearwise, play):
    nearwise("fit", play, "--target", "heat", "--regression", "--weights", "none", "--out", "m.nearwise")
    assert "cannot be criticised" in nearwise("critique", "m.nearwise", "--undo").err

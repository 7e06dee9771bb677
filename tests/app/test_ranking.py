"""rank: several methods side by side, with agreement; methods with parameters in brackets."""

import csv
from io import StringIO

import numpy as np
import pytest

from nearwise import KNNClassifier, weighting
from nearwise.errors import InputError, did_you_mean
from nearwise.lab.feature_ranking import agreement, rank_features, spearman
from nearwise.weighting.calls import call_parts, split_outside


def test_ranks_and_weights_are_those_of_each_method(nearwise, play):
    done = nearwise("rank", play, "--target", "class", "--weights", "gr,relief-f,mdw(per_class=false)", "--json")
    assert done.code == 0
    found = done.json
    assert found["methods"] == ["gr", "relief-f", "mdw(per_class=false)"]
    alone = nearwise("weights", play, "--target", "class", "--weights", "gr", "--json").json
    assert found["weights"]["gr"] == dict(zip(alone["features"], alone["values"], strict=True))
    for name in found["methods"]:
        weights, ranks = found["weights"][name], found["ranks"][name]
        assert sorted(weights, key=lambda f: -weights[f]) == sorted(ranks, key=lambda f: ranks[f])
    means = [np.mean([found["ranks"][m][f] for m in found["methods"]]) for f in found["features"]]
    assert means == sorted(means)
    assert list(found["mean_rank"].values()) == pytest.approx(means)
    assert 0 <= found["agreement"]["kendall_w"] <= 1
    assert found["agreement"]["spearman"]["gr"]["gr"] == pytest.approx(1)


def test_the_table_is_for_people_and_files_for_programs(nearwise, play, tmp_path):
    done = nearwise("rank", play, "--target", "class", "--out", "ranks.csv")
    assert done.out.splitlines()[0].split()[:3] == ["feature", "mean", "rank"]
    assert "Kendall's W = " in done.err
    rows = list(csv.DictReader(StringIO((tmp_path / "ranks.csv").read_text())))
    assert {row["feature"] for row in rows} == {"heat", "sky", "wind"}
    assert float(rows[0]["rank gr"]) >= 1


def test_methods_that_cannot_are_left_out_with_the_reason(nearwise, garage):
    path, schema = garage
    done = nearwise("rank", path, "--target", "price_band", "--schema", schema, "--weights", "gr,mdw", "--json")
    assert done.json["methods"] == ["mdw"]
    assert "counts values" in done.json["left_out"]["gr"]
    refused = nearwise("rank", path, "--target", "price_band", "--schema", schema, "--weights", "gr")
    assert (refused.code, refused.out) == (2, "")
    assert "No method can rank these features. gr: " in refused.err


def test_after_the_time_limit_no_method_is_begun():
    X, y = [[1, 2], [2, 1], [3, 5], [4, 4]], ["a", "a", "b", "b"]
    found = rank_features(X, y, ["gr", "ig", "mdw"], time_limit=0)
    assert found.methods == ("gr",)
    assert set(found.left_out) == {"ig", "mdw"}


def test_interrupting_keeps_what_is_there(monkeypatch):
    from nearwise.lab import feature_ranking

    real = feature_ranking.importances_by

    def second_is_interrupted(X, y, method, *more):
        if method[0] == "ig":
            raise KeyboardInterrupt
        return real(X, y, method, *more)

    monkeypatch.setattr(feature_ranking, "importances_by", second_is_interrupted)
    with pytest.warns(UserWarning, match="1 of 3 methods are kept"):
        found = rank_features([[1, 2], [2, 1], [3, 5], [4, 4]], ["a", "a", "b", "b"], ["gr", "ig", "mdw"])
    assert found.methods == ("gr",)
    assert dict(found.left_out) == {"ig": "interrupted", "mdw": "interrupted"}


def test_kendalls_w_by_hand():
    # sums of ranks 5.5, 5.5, 7 around 6: S = 1.5; m = 3, p = 3, one pair of ties: T = 6, so W = 18 / (216 - 18)
    ranks = np.array([[1.0, 2, 3], [3, 1, 2], [1.5, 2.5, 2.0]])
    ranks[2] = [1.5, 1.5, 3]
    total = ranks.sum(axis=0)
    assert total.tolist() == [5.5, 4.5, 8]
    assert agreement(ranks) == pytest.approx(12 * (0.25 + 2.25 + 4) / (9 * 24 - 3 * 6))
    assert np.isnan(agreement(ranks[:1]))
    scipy_stats = pytest.importorskip("scipy.stats")
    assert spearman(ranks)[0, 2] == pytest.approx(scipy_stats.spearmanr(ranks[0], ranks[2]).statistic)


def test_rank_of_numbers(nearwise, play):
    done = nearwise("rank", play, "--target", "heat", "--regression", "--json")
    assert "corr" in done.json["methods"]


# ------------------------------------------------------------------------------------------ parameters in brackets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gr", ("gr", {})),
        ("mdw(per_class=False)", ("mdw", {"per_class": False})),
        (" ga ( population = 20 , seed='a,b' ) ", ("ga", {"population": 20, "seed": "a,b"})),
        ("relief-f(ramp=[0.1, 2e-1], x=none)", ("relief-f", {"ramp": [0.1, 0.2], "x": None})),
        ("top-n(of=gr)", ("top-n", {"of": "gr"})),
        ("gr()", ("gr", {})),
    ],
)
def test_calls_are_taken_apart(text, expected):
    assert call_parts(text) == expected


@pytest.mark.parametrize(
    "text", ["mdw(per_class", "mdw)", "mdw(false)", "mdw(a=)", "mdw(=1)", "mdw(a=1)(b=2)", "(a=1)"]
)
def test_broken_calls_are_refused_in_one_sentence(text):
    with pytest.raises(InputError, match=r"expected|There is no|has no parameter"):
        weighting.get(text)


def test_a_parameter_twice_or_unknown_or_wrong_is_refused():
    with pytest.raises(InputError, match="twice"):
        weighting.get("mdw(per_class=true, per_class=false)")
    with pytest.raises(InputError, match=r"has no parameter .perclass.\. Did you mean .per_class."):
        weighting.get("mdw(perclass=false)")
    with pytest.raises(InputError, match="n_neighbors='many'"):
        weighting.get("relief-f(n_neighbors=many)")


def test_commas_in_brackets_and_quotes_do_not_split():
    assert split_outside("gr,,mdw(a=1,b='x,)'), ig") == ["gr", "mdw(a=1,b='x,)')", "ig"]


def test_estimators_take_the_same_text():
    X, y = [[1, 2], [2, 1], [3, 5], [4, 4]], ["a", "a", "b", "b"]
    said = KNNClassifier(1, "mdw(per_class=false)").fit(X, y)
    meant = KNNClassifier(1, weighting.get("mdw", per_class=False)).fit(X, y)
    assert said.feature_weights_.values.tolist() == meant.feature_weights_.values.tolist()


def test_a_list_where_one_is_wanted_names_the_way_out(nearwise, play):
    done = nearwise("weights", play, "--target", "class", "--weights", "gr,ig")
    assert done.code == 2
    assert "`nearwise rank` shows several" in done.err


@pytest.mark.parametrize("said", ["reliefF", "ReliefF", "relieff", "RELIEF_F", "relief f"])
def test_the_same_family_is_meant(said):
    assert did_you_mean(said, weighting.methods()) == "Did you mean 'relief-f'?"
    assert did_you_mean("MDW", weighting.methods()) == "Did you mean 'mdw'?"


def test_constructed_features_count_for_those_they_test(nearwise, tmp_path):
    cases = [
        (age, smoker, i % 3) for i, (age, smoker) in enumerate([(a, s) for a in (30, 40, 60, 70) for s in "yn"] * 10)
    ]
    rows = "".join(
        f"{age},{smoker},{z},{'ill' if age > 50 and smoker == 'y' else 'well'}\n" for age, smoker, z in cases
    )
    (tmp_path / "ill.csv").write_text("age,smoker,z,state\n" + rows)
    alone = nearwise("weights", "ill.csv", "--target", "state", "--weights", "ib3-ci", "--json").json
    assert len(alone["features"]) == 4  # age > 50 and smoker = y, which weighs all
    found = nearwise("rank", "ill.csv", "--target", "state", "--weights", "gr,ib3-ci", "--json").json
    assert found["weights"]["ib3-ci"] == {"age": 1.0, "smoker": 1.0, "z": 0.0}


def test_columns_that_are_ignored_are_no_features_of_any_method():
    X = {"leak": [0, 0, 1, 1] * 3, "other": [1, 5, 2, 3] * 3, "more": [4, 4, 1, 2] * 3}
    found = rank_features(X, ["a", "a", "b", "b"] * 3, ["gr", "cfp", "auto"], ignore="leak")
    assert found.features == ("other", "more")
    assert found.weights.shape == (3, 2)

"""CBR+EBL: weights per case by the rules that explain it, beside a prover that takes one case at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearwise as nw
from nearwise import weighting
from nearwise.errors import InputError, ModelFileError
from nearwise.storage.settings import SettingsUnpacker
from nearwise.weighting.explanation_based import ExplanationBased
from nearwise.weighting.theory import Concept, Theory

RULES = """\
# what is on record of loans
good    <- solvent and purpose in {car, "new house"}
solvent <- income >= 2000 and debts = no   # as far as known
solvent <- warrantor != none

bad     <- debts = yes
"""
CASES = [
    {"income": 2500, "debts": "no", "purpose": "car", "warrantor": "none"},
    {"income": 900, "debts": "no", "purpose": "new house", "warrantor": "aunt"},
    {"income": 2500, "debts": "no", "purpose": "car", "warrantor": "aunt"},
    {"income": 900, "debts": "yes", "purpose": "boat", "warrantor": "none"},
    {"income": None, "debts": "no", "purpose": "boat", "warrantor": None},
]
Y = ["good", "good", "good", "bad", "bad"]
NAMES = ["income", "debts", "purpose", "warrantor"]


def fitted(rules=RULES, cases=CASES, y=Y, **settings):
    return ExplanationBased(rules, **settings).fit(cases, y)


def test_weights_by_hand():
    """Case 0 is good by line 2, solvent by line 3: income, debts and purpose. Case 2 has both ways to be solvent."""
    ebl = fitted(alpha=1, beta=2)
    expected = [[3 / 10, 3 / 10, 3 / 10, 1 / 10], [1 / 8, 1 / 8, 3 / 8, 3 / 8], [3 / 12] * 4]
    expected += [[1 / 6, 3 / 6, 1 / 6, 1 / 6], [1 / 4] * 4]
    np.testing.assert_allclose(ebl.weights_.values, expected, rtol=1e-15)
    assert ebl.explained_.tolist() == [2, 2, 2, 6, 0]


def test_the_first_rule_alone_may_explain():
    first = fitted(explanations="first", beta=2).weights_.values
    np.testing.assert_allclose(first[2], [3 / 10, 3 / 10, 3 / 10, 1 / 10])


def test_the_distance_is_one_less_the_similarity_of_equation_30():
    ebl = ExplanationBased(RULES, alpha=0.5, beta=2.0)
    query = {"income": 2500, "debts": "yes", "purpose": "car", "warrantor": "aunt"}
    near = nw.KNNClassifier(4, ebl).fit(CASES[:4], Y[:4])
    distances, found = near.kneighbors([query])
    explains = [[1, 1, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1], [0, 1, 0, 0]]
    for d, i in zip(distances[0], found[0], strict=True):
        equal = [CASES[i][f] == query[f] for f in NAMES]
        above = sum(0.5 * e for e in equal) + sum(2.0 * w * e for w, e in zip(explains[i], equal, strict=True))
        below = 0.5 * 4 + sum(2.0 * w for w in explains[i])
        assert d == pytest.approx(1 - above / below, abs=1e-15)


def test_ordered_levels_are_compared_by_rank_and_numbers_as_numbers():
    cases = [{"size": s, "n": n} for s, n in [("S", 1), ("M", 2), ("L", 10)]]
    kinds = {"size": nw.Ordinal(["S", "M", "L"])}
    for rule, expected in [("size > S", [0, 1, 1]), ("size <= M", [1, 1, 0]), ("n < 10", [1, 1, 0])]:
        ebl = ExplanationBased(f"a <- {rule}").fit(cases, ["a"] * 3, schema=kinds)
        assert (ebl.explained_ > 0).tolist() == [bool(e) for e in expected], rule
    ebl = ExplanationBased("a <- n<-1").fit([{"n": -5}, {"n": 3}], ["a", "a"])
    assert ebl.explained_.tolist() == [1, 0]


# ------------------------------------------------------------------ the slow twin

VALUES = {"f": ["u", "v", "w"], "g": [1.0, 2.0, 3.0], "h": ["u", "v"]}
CONDITIONS = [
    ("f", "=", ["u"]), ("f", "!=", ["v"]), ("f", "in", ["u", "w"]), ("g", "<", [2.0]), ("g", ">=", [2.0]),
    ("g", "in", [1.0, 3.0]), ("h", "=", ["v"]), ("h", "!=", ["v"]),
]  # fmt: skip
BODIES = st.lists(st.sampled_from([*CONDITIONS, "c1", "c2"]), min_size=1, max_size=3)
THEORIES = st.lists(st.tuples(st.sampled_from(["p", "q"]), BODIES), min_size=1, max_size=5)
INNER = [("c1", [CONDITIONS[0], "c2"]), ("c1", [CONDITIONS[4]]), ("c2", [CONDITIONS[7]])]


def written(body):
    def one(condition):
        if isinstance(condition, str):
            return condition
        feature, how, values = condition
        told = [f"{v:g}" if isinstance(v, float) else v for v in values]
        return f"{feature} {how} {{{', '.join(told)}}}" if how == "in" else f"{feature} {how} {told[0]}"

    return " and ".join(one(condition) for condition in body)


def met(condition, case):
    feature, how, values = condition
    value = case[feature]
    if value is None:
        return False
    tests = {
        "=": value == values[0], "!=": value != values[0], "in": value in values,
        "<": how == "<" and value < values[0], ">=": how == ">=" and value >= values[0],
    }  # fmt: skip
    return tests[how]


def proven(head, case, rules):
    """The features of all proofs of a head, or None where there is none."""
    found = None
    for own, body in rules:
        if own != head:
            continue
        used = set()
        for condition in body:
            if isinstance(condition, str):
                below = proven(condition, case, rules)
                if below is None:
                    break
                used |= below
            elif met(condition, case):
                used.add(condition[0])
            else:
                break
        else:
            found = used | (found or set())
    return found


CASE = st.fixed_dictionaries({f: st.sampled_from([*values, None]) for f, values in VALUES.items()})


@given(THEORIES, st.lists(st.tuples(CASE, st.sampled_from(["p", "q"])), min_size=1, max_size=8), st.integers(0, 2))
def test_every_weight_equals_that_of_the_prover(theory, drawn, alpha):
    rules = [*theory, *INNER]
    text = "\n".join(f"{head} <- {written(body)}" for head, body in rules)
    whole = [dict(zip(VALUES, row, strict=True)) for row in (("u", 1.0, "u"), ("v", 2.0, "v"), ("w", 3.0, "u"))]
    cases, y = [*whole, *(case for case, _ in drawn)], ["p", "q", "p", *(label for _, label in drawn)]
    ebl = ExplanationBased(text, alpha=float(alpha), beta=2.0, unknown="ignore").fit(cases, y)
    for case, label, weights in zip(cases, y, ebl.weights_.values, strict=True):
        used = proven(label, case, rules) or set()
        below = alpha * 3 + 2 * len(used)
        expected = [(alpha + 2 * (f in used)) / below if below else 1.0 for f in VALUES]
        np.testing.assert_allclose(weights, expected, rtol=1e-15)


# ------------------------------------------------------------------ in an estimator


def test_beta_0_is_plain_neighbours():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (40, 3)).astype(float)
    y = np.where(rng.random(40) < 0.5, "u", "v")
    ebl = nw.KNNClassifier(3, ExplanationBased("u <- x0 > 1", beta=0.0)).fit(X, y)
    plain = nw.KNNClassifier(3, "none", p=1).fit(X, y)
    asked = rng.integers(0, 3, (20, 3)).astype(float)
    np.testing.assert_allclose(ebl.kneighbors(asked)[0] * 3, plain.kneighbors(asked)[0], rtol=1e-12)


def test_without_alpha_a_case_that_nothing_explains_is_nearer_than_no_other():
    cases = [{"a": "x", "b": "x"}, {"a": "y", "b": "y"}]
    clf = nw.KNNClassifier(2, ExplanationBased("p <- a = x", alpha=0.0)).fit(cases, ["p", "q"])
    distances, found = clf.kneighbors([{"a": "y", "b": "x"}, {"a": "y", "b": "y"}, {"a": "x", "b": "y"}])
    assert distances.tolist() == [[1, 1], [0, 1], [0, 1]]
    assert found.tolist() == [[0, 1], [1, 0], [0, 1]]


def test_cases_that_come_and_go_are_explained_anew(tmp_path):
    path = tmp_path / "theory.txt"
    path.write_text(RULES, encoding="utf-8")
    clf = nw.KNNClassifier(1, weighting.get("ebl", rules=path)).fit(CASES[:4], Y[:4])
    clf.partial_fit(CASES[4:], Y[4:])
    np.testing.assert_array_equal(clf.feature_weights_.values, fitted().weights_.values)
    clf.forget([0])
    np.testing.assert_array_equal(clf.feature_weights_.values, fitted().weights_.values[1:])


@pytest.mark.parametrize("as_path", [True, False])
def test_a_model_file_keeps_the_rules_and_not_the_path(as_path, tmp_path):
    path = tmp_path / "theory.txt"
    path.write_text(RULES, encoding="utf-8")
    clf = nw.KNNClassifier(1, weighting.get("ebl", rules=str(path) if as_path else RULES.splitlines())).fit(CASES, Y)
    clf.save(tmp_path / "model.nearwise")
    path.unlink()
    again = nw.load(tmp_path / "model.nearwise")
    np.testing.assert_array_equal(again.feature_weights_.values, clf.feature_weights_.values)
    assert again.weighting_.explained_.tolist() == [2, 2, 2, 6, 0]
    again.partial_fit([CASES[0]], ["good"])
    np.testing.assert_array_equal(again.feature_weights_.values[-1], clf.feature_weights_.values[0])


def test_a_model_file_cannot_name_rules_to_be_read(tmp_path):
    with pytest.raises(ModelFileError, match="the rules of a weighting are not there"):
        SettingsUnpacker({}, {}).value({"weighting": ["ebl", {"rules": str(tmp_path / "secret.txt")}]})


# ---------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("good <- debts = no\ngood <- incme > 3", "line 2: there is no feature 'incme'. Did you mean 'income'"),
        ("good <- debts = non", "line 1: no case has the value 'non' in feature 'debts'. Did you mean 'no'"),
        ("\n# x\ngod <- debts = no", "line 3: 'god' is no class, and no rule has it as a condition. Did you mean"),
        ("good <- solvnt\nsolvent <- debts = no", "line 1: 'solvnt' is the head of no rule.*Did you mean 'solvent'"),
        ("good <- a\na <- b\nb <- debts = no and a", "line 2: 'a' is explained by itself: a <- b <- a"),
        ("good <- debts > no", "line 1: 'debts' holds symbols, which '>' does not compare"),
        ("good <- income > much", "line 1: the feature 'income' holds numbers, got 'much'"),
        ("good <- debts = no\ndebts = no", "line 2: expected a rule such as"),
        ("good <-", "line 1: expected a condition after <-"),
        ("<- debts = no", "line 1: expected a class or a concept before <-"),
        ("good <- debts = no and", "line 1: expected a condition"),
        ("good <- debts in red", "line 1: expected values in braces"),
        ("good <- debts in {no yes, }", "line 1: expected values with commas"),
        ("good <- debts = ", "line 1: expected one value after ="),
        ("good <- debts = no, yes", "line 1: expected one value after ="),
        ("good <- debts , no", "line 1: ',' compares nothing"),
        ("good <- debts = 'no", "line 1: there is a ' that ends nothing"),
        ("good <- debts ! no", "line 1: there is a ! that ends nothing"),
        ([], "there is no rule such as"),
        (7, "expected rules such as"),
        ("there/is/no.txt", "There is no file"),
        (None, "there are none: pass"),
    ],
)
def test_rules_that_cannot_be_meant_name_their_line(rules, told):
    with pytest.raises(InputError, match=told):
        fitted(rules)


def test_a_rule_about_a_set_is_refused():
    with pytest.raises(InputError, match="line 1: the feature 'tags' is Set, which '=' does not compare"):
        ExplanationBased("p <- tags = red").fit([{"tags": ["red"]}, {"tags": []}], ["p", "q"])


def test_too_many_rules_in_a_chain_are_refused():
    text = "\n".join(f"c{i} <- c{i + 1}" for i in range(150)) + "\nc150 <- x0 > 1"
    with pytest.raises(InputError, match="more than 100 rules are chained"):
        Theory.of_text(text)


def test_unknown_names_can_be_ignored():
    ebl = fitted("good <- incme > 3\ngood <- debts = non\nsad <- debts = no\nbad <- debts = yes", unknown="ignore")
    assert ebl.explained_.tolist() == [0, 0, 0, 4, 0]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"alpha": -1.0}, "expected numbers from 0"),
        ({"alpha": 0.0, "beta": 0.0}, "of which one is above 0"),
        ({"alpha": "much"}, "expected a number"),
        ({"explanations": "some"}, "all, first"),
        ({"unknown": "guess"}, "error, ignore"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(settings, told):
    with pytest.raises(InputError, match=told):
        fitted(**settings)


def test_names_of_several_words_need_no_quotes():
    theory = Theory.of_text("very good <- blood pressure <= 140 and \"in\" = 'a # b' and ok\nok <- x != 1")
    rule = theory.rules[0]
    assert rule.head == "very good"
    assert [getattr(c, "feature", None) for c in rule.conditions] == ["blood pressure", "in", None]
    assert rule.conditions[1].values == ("a # b",)
    assert isinstance(rule.conditions[2], Concept)


def test_one_class_one_case_and_a_constant_feature_give_weights():
    ebl = ExplanationBased("p <- x0 = 1").fit([[1.0]], ["p"])
    assert ebl.weights_.values.tolist() == [[1.0]]

"""PCA, LDA and NCA of numbers before they are measured."""

import numpy as np
import pytest

import nearwise as nw
from nearwise import representation
from nearwise.cases.table import CaseTable
from nearwise.cases.target import Target
from nearwise.errors import InputError, NearwiseWarning
from nearwise.representation.known import REPRESENTATIONS

quiet = pytest.mark.filterwarnings("ignore:representation=:nearwise.errors.NearwiseWarning")


def numbers(n=120, p=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + y[:, None] * rng.normal(size=p), y


def fitted(name, X, y, **settings):
    table = CaseTable.of(X)
    target = Target(y, np.unique(y), np.ones(len(y)))
    made = REPRESENTATIONS[name](**settings)
    return made.fit(table, target, 0), table


@quiet
def test_principal_components_by_hand():
    """Two equal columns: one direction, whose numbers are the sum of both over the root of 2."""
    X = np.column_stack([np.arange(5.0), 10 * np.arange(5.0)])
    found, table = fitted("pca", X, np.zeros(5, dtype=int))
    assert found.names == ("pc1",)
    assert found.axes == pytest.approx(np.sqrt([[0.5, 0.5]]))
    assert found.apply(table).columns[0].values == pytest.approx(np.sqrt(2) * np.arange(-2, 3) / np.sqrt(2))


@quiet
def test_principal_components_have_the_lengths_of_the_scaled_numbers():
    X, y = numbers()
    model = nw.NearestCases(5, representation="pca", scale="none").fit(X)
    scaled = nw.NearestCases(5, scale="none").fit((X - X.mean(axis=0)) / X.std(axis=0))
    assert (model.kneighbors(X)[1] == scaled.kneighbors((X - X.mean(axis=0)) / X.std(axis=0))[1]).all()
    found, table = fitted("pca", X, y)
    variances = np.array([c.values.var() for c in found.apply(table).columns])
    assert (np.diff(variances) < 0).all()
    assert variances.sum() == pytest.approx(X.shape[1])


@quiet
def test_discriminants_equal_those_of_scikit_learn():
    sklearn = pytest.importorskip("sklearn.discriminant_analysis")
    X, y = numbers()
    found, table = fitted("lda", X, y)
    peer = sklearn.LinearDiscriminantAnalysis(solver="eigen").fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    ours = np.column_stack([c.values for c in found.apply(table).columns])
    theirs = ((X - X.mean(axis=0)) / X.std(axis=0)) @ peer.scalings_[:, :2]
    assert ours.shape[1] == 2
    for a, b in zip(ours.T, theirs.T, strict=True):
        assert abs(np.corrcoef(a, b)[0, 1]) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", ["pca", "lda", "nca"])
def test_a_rotation_warns_that_features_stop_being_meaningful(name):
    X, y = numbers()
    with pytest.warns(NearwiseWarning, match=r"new features .* in place of 'x0'.*not of what was measured"):
        nw.KNNClassifier(3, "none", representation=name).fit(X, y)


@quiet
@pytest.mark.parametrize("name", ["pca", "lda", "nca"])
def test_a_model_file_keeps_the_axes(name, tmp_path):
    X, y = numbers()
    X[::7, 1] = np.nan
    model = nw.KNNClassifier(3, "mdw", representation=name).fit(X, y)
    model.save(tmp_path / "m")
    loaded = nw.load(tmp_path / "m")
    assert (loaded.predict_proba(X) == model.predict_proba(X)).all()
    assert loaded.describe() == model.describe()
    assert loaded.representation == name


@quiet
def test_other_features_stay_and_explanations_name_the_new_ones():
    cases = [{"w": float(w), "h": 2.0 * w, "hue": h} for w, h in [(1, "red"), (2, "red"), (5, "blue")]]
    model = nw.KNNClassifier(1, "none", representation="pca").fit(cases, ["a", "a", "b"])
    why = model.explain([{"w": 4.0, "h": 8.0, "hue": "blue"}])[0]
    assert list(why.neighbours[0].contributions) == ["hue", "pc1"]


@quiet
def test_cases_are_added_under_the_same_axes():
    X, y = numbers()
    model = nw.KNNClassifier(1, "none", representation="pca").fit(X[:100], y[:100])
    with pytest.warns(NearwiseWarning, match="representation stays"):
        model.partial_fit(X[100:], y[100:])
    assert model.n_samples_fit_ == 120
    assert (model.predict(X[100:]) == y[100:]).all()


@quiet
def test_odd_columns_give_finite_features():
    rng = np.random.default_rng(0)
    cases = [{"c": 1.0, "n": None, "x": float(v), "big": 1e200 * v} for v in rng.normal(size=30)]
    for name in ("pca", "lda"):
        model = nw.KNNClassifier(1, "none", representation=name).fit(cases, rng.integers(0, 2, 30))
        assert np.isfinite(model.predict_proba([{"c": 2.0, "n": 3.0, "x": None, "big": None}])).all()


@quiet
def test_what_cannot_be_rotated_is_refused_in_a_sentence():
    X, y = numbers(20)
    with pytest.raises(InputError, match="no feature is one"):
        nw.KNNClassifier(1, "none", representation="pca").fit([{"a": "x"}, {"a": "y"}], ["u", "v"])
    with pytest.raises(InputError, match="needs classes"):
        nw.KNNRegressor(1, "none", representation="lda").fit(X, X[:, 0])
    with pytest.raises(InputError, match="no representation 'pac'"):
        nw.KNNClassifier(1, "none", representation="pac").fit(X, y)
    with pytest.raises(InputError, match="representation=3"):
        nw.KNNClassifier(1, "none", representation=3).fit(X, y)
    with pytest.raises(InputError, match="n_components"):
        nw.KNNClassifier(1, "none", representation=representation.PCA(n_components=0)).fit(X, y)


@quiet
@pytest.mark.parametrize(
    "lie",
    [
        {"axes": np.ones((2, 2))}, {"means": np.array([np.nan] * 4)}, {"deviations": np.zeros(4)}, {"names": ()},
        {"features": ("x0", "x0", "x1", "x2")}, {"features": ("a", "b", "c", "d")}, {"names": ("z", "z", "z", "z")},
    ],
)  # fmt: skip
def test_a_state_that_lies_is_refused(lie):
    X, y = numbers()
    found, _ = fitted("pca", X, y)
    assert type(found).restored(found.schema, found.state()).state().keys() == found.state().keys()
    with pytest.raises(ValueError, match=r"the (axes|rotated features)"):
        type(found).restored(found.schema, found.state() | lie)

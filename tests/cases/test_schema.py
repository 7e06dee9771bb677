"""The schema: printing, JSON, overrides, and what it refuses."""

import json

import pytest

import nearwise
from nearwise import Custom, Cyclic, Numeric, Ordinal, Schema, Set, Symbolic, Text, Vector
from nearwise.cases.kinds import KINDS, POLICIES
from nearwise.cases.schema import as_kind
from nearwise.errors import SchemaError


def gap(a, b):
    return abs(a - b)


KINDS_OF_EVERY_SORT = [
    Numeric(),
    Numeric(unit="days", difference="sigma", missing="mean"),
    Cyclic(period=24),
    Cyclic(period=7.5, unit="hours", missing="value"),
    Symbolic(),
    Symbolic(difference="mvdm", missing="ignore"),
    Ordinal(levels=("low", "mid", "high")),
    Ordinal(levels=(1, 2, 3), missing="error"),
    Text(),
    Text(difference="jaro-winkler"),
    Set(),
    Set(members="symbols", difference="dice"),
    Set(difference="hausdorff"),
    Vector(),
    Vector(difference="cosine", missing="max"),
]


def test_every_kind_has_a_round_trip_here():
    assert {type(kind) for kind in KINDS_OF_EVERY_SORT} | {Custom} == set(KINDS.values())


@pytest.mark.parametrize("kind", KINDS_OF_EVERY_SORT, ids=repr)
def test_a_kind_goes_to_json_and_back(kind):
    assert as_kind(json.loads(json.dumps(kind.to_json()))) == kind
    assert eval(repr(kind), vars(nearwise) | {type(kind).__name__: type(kind)}) == kind


def test_a_custom_kind_leaves_its_function_behind():
    kind = Custom(gap, vectorised=True, missing="ignore")
    assert as_kind(json.loads(json.dumps(kind.to_json()))) == Custom(vectorised=True, missing="ignore")
    assert repr(kind) == "Custom(gap, vectorised=True)"


def test_a_schema_goes_to_json_and_back():
    schema = Schema.infer(
        {"id": [f"r{i}" for i in range(10)], "x": range(0, 20, 2), "zip": [1] * 10, "gone": [1] * 10},
        schema={"zip": Symbolic(missing="value")},
        ignore=["gone"],
    )
    again = Schema.from_json(json.dumps(schema.to_json()))
    assert again == schema
    assert str(again) == str(schema)
    assert set(schema.guessed) == {"id", "x"}
    assert schema.ignored == ("gone",)


def test_a_schema_is_also_read_from_plain_names():
    schema = Schema.from_json('{"age": "numeric", "hour": {"kind": "Cyclic", "period": 24}}')
    assert dict(schema) == {"age": Numeric(), "hour": Cyclic(period=24)}


def test_a_schema_prints_what_was_guessed_given_and_ignored():
    schema = Schema.infer(
        [{"age": 31, "job": "cook", "hour": 7, "id": 1}, {"age": 44, "job": None, "hour": 23, "id": 2}],
        schema={"hour": Cyclic(period=24, difference="none", missing="error")},
        ignore=["id"],
    )
    assert str(schema).splitlines() == [
        "feature  kind               difference  missing  why",
        "age      Numeric            -           -        guessed: numbers",
        "job      Symbolic           -           -        guessed: strings or categories",
        "hour     Cyclic(period=24)  none        error    given",
        "ignored: id",
    ]


def test_remarks_are_printed():
    schema = Schema.infer({"id": [f"r{i}" for i in range(10)], "none": [None] * 10})
    assert "likely an identifier" in str(schema)
    assert "no value at all" in str(schema)


def test_a_schema_is_a_mapping_in_the_order_of_the_table():
    schema = Schema.infer({"b": [1], "a": ["x"]})
    assert (list(schema), schema.names, len(schema)) == (["b", "a"], ("b", "a"), 2)
    assert schema["a"] == Symbolic()
    assert "c" not in schema


def test_overriding_a_kind_makes_it_given():
    schema = Schema.infer({"a": [1], "b": [2]}).with_kinds({"b": Symbolic()})
    assert schema["b"] == Symbolic()
    assert set(schema.guessed) == {"a"}
    with pytest.raises(SchemaError, match="Known: 'a', 'b'"):
        schema.with_kinds({"zebra": Symbolic()})


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("numeric", Numeric()),
        ("Symbolic", Symbolic()),
        (Text, Text()),
        ({"kind": "SET"}, Set()),
        (Vector(), Vector()),
    ],
)
def test_kinds_may_be_given_as_names_classes_and_json(given, kind):
    assert as_kind(given) == kind
    assert Schema({"a": given})["a"] == kind


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: as_kind("nummeric", "age"), "'age' .* Did you mean 'Numeric'"),
        (lambda: as_kind(None, "age"), "expected one of"),
        (lambda: as_kind({"period": 3}, "age"), "'age'"),
        (lambda: as_kind({"kind": "Numeric", "period": 3}, "age"), "'age' cannot be made"),
        (lambda: Numeric(missing="drop"), "expected one of max"),
        (lambda: Numeric(difference="jaccard"), "Numeric has no difference 'jaccard'"),
        (lambda: Symbolic(difference="mvmd"), "Did you mean 'mvdm'"),
        (lambda: Cyclic(period=0), "positive"),
        (lambda: Cyclic(period=float("inf")), "finite"),
        (lambda: Ordinal(), "two distinct levels"),
        (lambda: Ordinal(levels=("a", "a")), "two distinct levels"),
        (lambda: Set(members="words"), "'symbols' or 'vectors'"),
        (lambda: Set(members="symbols", difference="min"), "sets of vectors"),
        (lambda: Custom("gap"), "function of two values"),
        (lambda: Schema.from_json("{"), "not JSON"),
        (lambda: Schema.from_json("[1]"), "got list"),
        (lambda: Schema.from_json('{"features": 3}'), "must be an object"),
        (lambda: Schema.infer({"age": [1]}, schema={"aeg": "numeric"}), "Did you mean 'age'"),
    ],
)
def test_a_wrong_schema_says_what_is_wrong(make, told):
    with pytest.raises(SchemaError, match=told):
        make()


def test_every_policy_is_accepted():
    assert [Numeric(missing=policy).missing for policy in POLICIES] == list(POLICIES)


def test_the_difference_of_a_set_tells_its_members():
    assert Set(difference="min").members == "vectors"
    assert Set(difference="jaccard").members == "symbols"
    assert Schema.infer([{"a": [[1, 2]]}], schema={"a": Set(missing="ignore")})["a"].members == "vectors"

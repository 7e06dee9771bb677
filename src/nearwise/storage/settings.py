"""What an estimator was told: kinds, differences, weights, weightings and votes, as JSON and back.

Only classes of nearwise itself are written and read, by their short names: a file can name no other code.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from nearwise import differences, vote, weighting
from nearwise.cases.kinds import KINDS, Custom, Kind
from nearwise.cases.schema import Schema
from nearwise.cases.trees import Tree
from nearwise.differences.base import Difference
from nearwise.errors import InputError, ModelFileError
from nearwise.representation import Representation
from nearwise.representation.known import REPRESENTATIONS
from nearwise.storage.values import ALLOWED, NotPlainError, Packer, Unpacker, listed, pairs
from nearwise.weighting import Weighting
from nearwise.weighting.theory import ARROW
from nearwise.weights import SHAPES, Weights, from_json

__all__ = ["VOTE", "SettingsPacker", "SettingsUnpacker"]

VOTE = "vote"
"""the name under which a vote function is handed back"""


class SettingsPacker(Packer):
    """Also knows the small objects that parameters are made of. Functions are left out."""

    def composed(self, value: Any) -> Any:
        if isinstance(value, type) and issubclass(value, Kind):
            value = value()
        if isinstance(value, Kind):
            return {"kind": self._kind(value)}
        if isinstance(value, Tree):
            return {"tree": [self.sequence(value.names), self.sequence(value.parents)]}
        if isinstance(value, Schema):
            return {"schema": self._schema(value)}
        if isinstance(value, Difference):
            return {"difference": self._difference(value)}
        if isinstance(value, Weights):
            return {"weights": self._weights(value)}
        if isinstance(value, Weighting):
            return {"weighting": self._weighting(value)}
        if isinstance(value, Representation):
            return {"representation": self._representation(value)}
        return super().composed(value)

    def named(self, name: str, value: Any) -> Any:
        """A value; where it cannot be saved, the error calls it by its name."""
        try:
            return self.value(value)
        except (NotPlainError, RecursionError) as error:
            what = error if isinstance(error, NotPlainError) else "a value nested too deeply"
            raise InputError(
                f"{name} holds {what}, which cannot be saved without pickle: use {ALLOWED}, or objects of nearwise "
                "itself. (As a random state, give a whole number.)"
            ) from error

    def vote(self, given: Any) -> Any:
        """A vote by its name and settings; any other function, or vote, is to be handed back."""
        if isinstance(given, str):
            return given
        if vote.VOTES.get(getattr(given, "name", "")) is type(given):
            return {"vote": [given.name, self._fields(given)]}
        return {"function": VOTE}

    def _kind(self, kind: Kind) -> list[Any]:
        if KINDS.get(kind.name) is not type(kind):
            raise NotPlainError(kind)
        return [kind.name, self._fields(kind, without="function")]

    def _fields(self, given: Any, without: str = "") -> dict[str, Any]:
        return {f.name: self.value(getattr(given, f.name)) for f in fields(given) if f.name != without}

    def _schema(self, schema: Schema) -> dict[str, Any]:
        features = [[name, self._kind(kind)] for name, kind in schema.items()]
        told = {"guessed": dict(schema.guessed), "ignored": list(schema.ignored), "remarks": dict(schema.remarks)}
        return {"features": features, **told}

    def _difference(self, difference: Difference) -> list[Any]:
        settings = self._fields(difference)
        try:
            again = differences.get({"name": difference.name, **{k: getattr(difference, k) for k in settings}})
        except ValueError:
            again = None
        if again != difference:
            raise NotPlainError(difference)
        return [difference.name, settings]

    def _weights(self, weights: Weights) -> dict[str, Any]:
        if SHAPES.get(weights.shape) is not type(weights):
            raise NotPlainError(weights)
        names = [name for name in inspect.signature(type(weights).__init__).parameters if name != "self"]
        return {"shape": weights.shape, **{name: self.value(getattr(weights, name)) for name in names}}

    def _weighting(self, method: Weighting) -> list[Any]:
        if weighting.methods().get(getattr(method, "id", "")) is not type(method):
            raise NotPlainError(method)
        return [method.id, {name: self.value(value) for name, value in method.saved_parameters().items()}]

    def _representation(self, given: Representation) -> list[Any]:
        if REPRESENTATIONS.get(given.id) is not type(given):
            raise NotPlainError(given)
        return [given.id, self._fields(given)]


class SettingsUnpacker(Unpacker):
    """Reads what `SettingsPacker` wrote; ``functions`` are those that the user hands back."""

    def __init__(self, arrays: Mapping[str, Any], functions: Mapping[str, Any]) -> None:
        super().__init__(arrays)
        self.functions = functions

    def tagged(self, tag: str, body: Any) -> Any:
        makers = {
            "kind": self._kind,
            "tree": self._tree,
            "schema": self.schema,
            "difference": self._difference,
            "weights": self._weights,
            "weighting": self._weighting,
            "representation": self._representation,
            "vote": self._vote,
            "function": self._function,
        }
        return makers[tag](body) if tag in makers else super().tagged(tag, body)

    def settings(self, found: Any) -> dict[str, Any]:
        """Values by name."""
        if not isinstance(found, dict):
            raise ModelFileError("settings are not described")
        return {name: self.value(value) for name, value in found.items()}

    def _kind(self, body: Any) -> Kind:
        name, settings = listed(body, 2)
        if name not in KINDS:
            raise ModelFileError(f"there is no kind {name!r}")
        given = self.settings(settings)
        if not isinstance(given.get("tree"), Tree | None):  # a path would be read
            raise ModelFileError("a tree is not described")
        kind = KINDS[name](**given)
        if not isinstance(getattr(kind, "unit", None), str | None):
            raise ModelFileError("a unit is no text")
        return kind

    def _tree(self, body: Any) -> Tree:
        names, parents = (self.sequence(part) for part in listed(body, 2))
        if not all(type(parent) is int for parent in parents):
            raise ModelFileError("a tree is not described")
        return Tree(tuple(names), tuple(parents))

    def schema(self, body: Any) -> Schema:
        if not isinstance(body, dict):
            raise ModelFileError("the schema is not described")
        features = pairs(body.get("features"))
        names = [name for name, _ in features]
        if not all(isinstance(n, str) for n in names) or len(set(names)) != len(names):
            raise ModelFileError("the features have no names")
        told = {key: body.get(key, {}) for key in ("guessed", "remarks")}
        if not all(isinstance(t, dict) and all(isinstance(v, str) for v in t.values()) for t in told.values()):
            raise ModelFileError("the remarks on the features are no texts")
        ignored = tuple(listed(body.get("ignored", [])))
        if not all(isinstance(name, str) for name in ignored):
            raise ModelFileError("the ignored columns have no names")
        kinds = {name: self.with_function(name, self._kind(kind)) for name, kind in features}
        return Schema(kinds, told["guessed"], ignored, told["remarks"])

    def with_function(self, feature: str, kind: Any) -> Any:
        """The kind of a feature with the function that the user hands back for it."""
        if isinstance(kind, Custom) and kind.function is None and feature in self.functions:
            return kind.with_(function=self.functions[feature])
        return kind

    def _difference(self, body: Any) -> Difference:
        name, settings = listed(body, 2)
        return differences.get({**self.settings(settings), "name": name})

    def _weights(self, body: Any) -> Weights:
        return from_json(self.settings(body))

    def _weighting(self, body: Any) -> Weighting:
        name, settings = listed(body, 2)
        if not isinstance(name, str):
            raise ModelFileError("a weighting has no name")
        given = self.settings(settings)
        rules = given.get("rules")
        if not isinstance(rules, str | None) or (rules is not None and ARROW not in rules):  # a path would be read
            raise ModelFileError("the rules of a weighting are not there")
        return weighting.get(name, **given)

    def _representation(self, body: Any) -> Representation:
        name, settings = listed(body, 2)
        if name not in REPRESENTATIONS:
            raise ModelFileError(f"there is no representation {name!r}")
        return REPRESENTATIONS[name](**self.settings(settings))

    def _vote(self, body: Any) -> vote.Vote:
        name, settings = listed(body, 2)
        if name not in vote.VOTES:
            raise ModelFileError(f"there is no vote {name!r}")
        numbers = self.settings(settings)
        if not all(isinstance(n, int | float | None) for n in numbers.values()):
            raise ModelFileError("the settings of the vote are no numbers")
        return vote.VOTES[name](**numbers)

    def vote_rule(self, found: Any) -> vote.Vote | None:
        """A vote as `SettingsPacker.vote` wrote it, or None."""
        return None if found is None else vote.get(self.value(found))

    def _function(self, body: Any) -> Any:
        if body != VOTE or VOTE not in self.functions:
            raise ModelFileError(f"there is no function {body!r}")
        return self.functions[VOTE]

"""What a classifier does with the critique of an expert: take it, list it, undo it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nearwise.errors import InputError
from nearwise.estimators.critique import Critique, criticised
from nearwise.estimators.model import Model
from nearwise.estimators.voting import Voting

__all__ = ["Criticised"]


class Criticised(Voting):
    """A classifier whose answers an expert can correct."""

    def critique(self, query: Any, correct_class: Any, because: Mapping[str, str]) -> Critique:
        """Correct the answer to one query: the class it has, and which features should count "more" or "less".

        Near cases of other classes that differ from the query in what counts more are moved away, and the nearest
        cases of the right class that differ in what counts less are moved closer, until the answer is right. Where that
        cannot be, an error says why and nothing is changed. k and all else that was chosen stays. The record is
        returned, listed by `critiques_`, undone by `undo_critique`, and saved with the model.

        >>> cases = [{"fur": "red", "size": 3}, {"fur": "red", "size": 9}, {"fur": "grey", "size": 9}]
        >>> from nearwise import KNNClassifier
        >>> clf = KNNClassifier(1, "none").fit(cases, ["fox", "hare", "hare"])
        >>> query = {"fur": "red", "size": 7}
        >>> print(clf.critique(query, "fox", because={"size": "less"}))
        hare should be fox, because size counts less: weights of 1 case changed, for fur = red, size = 7.0
        >>> clf.predict([query]).tolist(), len(clf.critiques_)
        (['fox'], 1)
        """
        made, model = criticised(self, query, correct_class, because)
        self._put((*self._critiques, made), model)
        return made

    def undo_critique(self) -> Critique:
        """Take back the last critique; the weights are those of before."""
        if not self._critiques:
            raise InputError("There is no critique to undo.")
        model, left = self._fitted(), self._critiques[:-1]
        learned = model.learned_weights
        last = self._critiques[-1]
        self._put(left, self._model_of(model.problem, learned, model.ids, model.next_id, critiques=left))
        return last

    @property
    def critiques_(self) -> tuple[Critique, ...]:
        """The critiques in use, the oldest first."""
        self._fitted()
        return self._critiques

    def _put(self, critiques: tuple[Critique, ...], model: Model) -> None:
        """Take other weights; k, and what was said of cases that were left out, stay."""
        self.n_neighbors_  # noqa: B018 - chosen now if cases were added or forgotten
        stay = ("_chosen_k", "_chosen", "_left_out", "loo_errors_")
        kept: dict[str, Any] = {name: value for name, value in vars(self).items() if name in stay}
        self._set(model)
        vars(self).update(kept)
        self._critiques = critiques

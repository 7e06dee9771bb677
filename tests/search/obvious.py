"""The reference engine as the tests ask it: again and again for the same cases, and it is slow."""

from nearwise.search.fallback.reference import ReferenceEngine

__all__ = ["reference"]


class Remembering(ReferenceEngine):
    """The reference, which works out the sums of a query once for all that is asked about it."""

    def __init__(self, distance):
        super().__init__(distance)
        self._known = {}

    def _sums(self, queries, j):
        owner, rows = self._known.setdefault(id(queries), (queries, {}))  # which is kept, so that its id stays its own
        assert owner is queries
        if j not in rows:
            rows[j] = super()._sums(queries, j)
        return rows[j].copy()


_last = []


def reference(distance):
    """The reference for a distance; the one before is kept while the distance is the same object."""
    if not _last or _last[0].distance is not distance:
        _last[:] = [Remembering(distance)]
    return _last[0]

"""A schema as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nearwise.rendering import Html, filled, joined, row, table
from nearwise.rendering.templates import NOTE

if TYPE_CHECKING:
    from nearwise.cases.schema import Schema

__all__ = ["schema_table"]


def schema_table(schema: Schema, most: int | None = None) -> Html:
    """A row for each feature, ``most`` of them: its kind, how it is compared, and why it is so."""
    rows = schema.rows()
    shown = table(("feature", "kind", "difference", "missing", "why"), [row(*cells) for cells in rows[:most]])
    more = [f"… {len(rows) - most} more features"] if most is not None and len(rows) > most else []
    more += ["ignored: " + ", ".join(schema.ignored)] if schema.ignored else []
    return joined([shown, *(filled(NOTE, text=told) for told in more)])

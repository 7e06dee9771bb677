"""Directives that list every weighting the code has, so that the documentation cannot be out of date."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from nearwise.cases.kinds import KINDS
from nearwise.lab.papers import rows
from nearwise.weighting import Weighting, methods

LETTERS = dict(zip(KINDS, "NCSOTMVF", strict=True))
"""kind -> its letter in the tables; M for members of a set, F for a function of your own"""
FAMILIES = {
    "Worked out from the cases, one weight each": lambda m: _is(m, "preset", "global", "continuous"),
    "Learned by asking the classifier, one weight each": lambda m: _is(m, "feedback", "global", "continuous"),
    "Features taken or left": lambda m: m.place.weight_space == "binary",
    "Weights for each class, value, case or query": lambda m: _is(m, None, "local", "continuous"),
}
"""heading -> which methods are below it; each method is in the first that takes it"""


def _is(method: type[Weighting], bias: str | None, generality: str, space: str) -> bool:
    place = method.place
    return (place.generality, place.weight_space) == (generality, space) and bias in (None, place.bias)


class MethodsTable(SphinxDirective):
    """A table for each family, a line for each method: id (a link to its page), what it does, kinds, numbers as target.

    The class, the five dimensions, the references and the status are in a table below, folded up.
    """

    def run(self) -> list[nodes.Node]:
        folder = Path(self.env.doc2path(self.env.docname)).parent
        left = dict(methods())
        text: list[str] = []
        for heading, takes in FAMILIES.items():
            members = {name: left.pop(name) for name, method in list(left.items()) if takes(method)}
            text += ["", f"### {heading}", "", *_table(("id", "what it does", "kinds", "numbers"), 4)]
            text += [_line(_short(method, folder)) for method in members.values()]
        if left:
            raise ExtensionError(f"docs/_ext/methods_table.py has no family for {', '.join(left)}.")
        return _parsed(self, text, headings=True)


class PlacesTable(SphinxDirective):
    """The place of every method: class, shape of its weights, the five dimensions, reference and status."""

    def run(self) -> list[nodes.Node]:
        head = ("id", "class", "weights", "place", "from", "status")
        return _parsed(self, [*_table(head, 6), *(_line(_placed(method)) for method in methods().values())])


class CautionsTable(SphinxDirective):
    """The methods of which something was measured that speaks against using them alone."""

    def run(self) -> list[nodes.Node]:
        cautious = [method for method in methods().values() if method.caution]
        return _parsed(self, [*_table(("id", "caution"), 2), *(_line([f"`{m.id}`", m.caution]) for m in cautious)])


class KindsTable(SphinxDirective):
    """One row for each group of methods that serve the same kinds and targets."""

    def run(self) -> list[nodes.Node]:
        groups: dict[tuple[object, ...], list[str]] = {}
        for name, method in methods().items():
            served = (*(kind in method.kinds for kind in KINDS), method.numbers != "refused")
            groups.setdefault((served, method.needs), []).append(name)
        rows = _table(("kinds", "numbers as target", "methods", "what other kinds must become"), 4)
        for (served, needs), names in sorted(groups.items(), key=lambda group: (-sum(group[0][0]), group[1])):
            kinds = ", ".join(kind for kind, is_served in zip(KINDS, served) if is_served)
            all_kinds = "every kind" if all(served[:-1]) else kinds
            listed = ", ".join(f"`{name}`" for name in names)
            rows.append(_line([all_kinds, "yes" if served[-1] else "no", listed, needs]))
        return _parsed(self, rows)


class KindLetters(SphinxDirective):
    """The letters that stand for kinds in the tables."""

    def run(self) -> list[nodes.Node]:
        return _parsed(self, [", ".join(f"**{LETTERS[kind]}** {kind}" for kind in KINDS) + "."])


class PapersTable(SphinxDirective):
    """A table for each of the five papers: a line for each system that it describes, and what serves it here."""

    def run(self) -> list[nodes.Node]:
        folder = Path(self.env.doc2path(self.env.docname)).parent
        text: list[str] = []
        for paper, found in groupby(rows(), key=lambda row: row["paper"]):
            text += ["", f"**{{cite:t}}`{paper}`**", ""]
            text += _table(("section", "system", "here", "learning costs", "status"), 5)
            for row in found:
                page = folder / f"{row['id']}.md"
                linked = f"[`{row['id']}`]({page.name})" if page.exists() else f"`{row['id']}`"
                text.append(_line([row["section"], row["system"], linked, row["cost"], row["status"]]))
        return _parsed(self, text)


class MethodsReference(SphinxDirective):
    """The docstring of every method."""

    def run(self) -> list[nodes.Node]:
        blocks = [f".. autoclass:: {m.__module__}.{m.__name__}" for m in methods().values()]
        return _parsed(self, ["```{eval-rst}", *blocks, "```"])


def _parsed(directive: SphinxDirective, text: list[str], headings: bool = False) -> list[nodes.Node]:
    parent = nodes.container()
    source = StringList(text, source=directive.env.docname)
    if headings:
        return directive.parse_text_to_nodes("\n".join(text), allow_section_headings=True)
    directive.state.nested_parse(source, directive.content_offset, parent)
    return parent.children


def _table(head: Sequence[str], columns: int) -> list[str]:
    return [_line(head), "|" + " --- |" * columns]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _kinds(method: type[Weighting]) -> str:
    return (
        "all" if set(method.kinds) == set(KINDS) else "".join(LETTERS[kind] for kind in KINDS if kind in method.kinds)
    )


def _short(method: type[Weighting], folder: Path) -> list[str]:
    page = folder / f"{method.id}.md"
    name = f"[`{method.id}`]({page.name})" if page.exists() else f"`{method.id}`"
    caution = " *[caution](#cautions)*" if method.caution else ""
    return [name, method.summary() + caution, _kinds(method), method.numbers]


def _placed(method: type[Weighting]) -> list[str]:
    keys = [key.strip() for key in method.reference.split(",") if key.strip()]
    cited = f"{{cite:t}}`{keys[0]}`" if keys else "-"
    place = ", ".join(method.place.to_json().values())
    return [f"`{method.id}`", f"`{method.__name__}`", method.shape, place, cited, method.status]


def setup(app):
    app.add_directive("methods-table", MethodsTable)
    app.add_directive("places-table", PlacesTable)
    app.add_directive("cautions-table", CautionsTable)
    app.add_directive("kind-letters", KindLetters)
    app.add_directive("kinds-table", KindsTable)
    app.add_directive("papers-table", PapersTable)
    app.add_directive("methods-reference", MethodsReference)
    return {"parallel_read_safe": True}

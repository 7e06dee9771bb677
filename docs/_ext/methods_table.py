"""Directives that list every weighting the code has, so that the documentation cannot be out of date."""

from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from nearwise.cases.kinds import KINDS
from nearwise.lab.papers import rows
from nearwise.weighting import Weighting, methods

HEAD = (
    "id",
    "class",
    "shape",
    "numbers as target",
    "bias",
    "weight space",
    "representation",
    "generality",
    "knowledge",
    "reference",
    "what it does",
    "caution",
    "status",
)


class MethodsTable(SphinxDirective):
    """One row a method: its id (a link to its page), class, shape, what it does with numbers as target, its place in
    the five dimensions, reference, summary, what was measured against it, and whether its paper was at hand."""

    def run(self) -> list[nodes.Node]:
        folder = Path(self.env.doc2path(self.env.docname)).parent
        rows = [HEAD, ["---"] * len(HEAD)]
        rows += [_row(method, folder / f"{name}.md") for name, method in methods().items()]
        text = ["| " + " | ".join(row) + " |" for row in rows]
        return _parsed(self, text)


class KindsTable(SphinxDirective):
    """One row for each group of methods that serve the same kinds and targets: yes or no by kind and by target."""

    def run(self) -> list[nodes.Node]:
        groups: dict[tuple[object, ...], list[str]] = {}
        for name, method in methods().items():
            served = (*(kind in method.kinds for kind in KINDS), method.numbers != "refused")
            groups.setdefault((served, method.needs), []).append(name)
        head = ["methods", *KINDS, "classes", "numbers as target", "what other kinds must become"]
        rows = [head, ["---"] * len(head)]
        for (served, needs), names in sorted(groups.items(), key=lambda group: (-sum(group[0][0]), group[1])):
            *kinds, numbers = ("yes" if each else "no" for each in served)
            rows.append([", ".join(f"`{name}`" for name in names), *kinds, "yes", numbers, needs])
        return _parsed(self, ["| " + " | ".join(row) + " |" for row in rows])


class PapersTable(SphinxDirective):
    """One row for each system that the five papers describe."""

    def run(self) -> list[nodes.Node]:
        folder = Path(self.env.doc2path(self.env.docname)).parent
        found = rows()
        lines = [[*found[0]], ["---"] * len(found[0])]
        for row in found:
            page = folder / f"{row['id']}.md"
            linked = f"[`{row['id']}`]({page.name})" if page.exists() else f"`{row['id']}`"
            cited, example = f"{{cite:t}}`{row['paper']}`", f"`{row['example']}`"
            cells = {**row, "paper": cited, "id": linked, "example": example}
            lines.append([cell.replace("|", "\\|") for cell in cells.values()])
        return _parsed(self, ["| " + " | ".join(line) + " |" for line in lines])


class MethodsReference(SphinxDirective):
    """The docstring of every method."""

    def run(self) -> list[nodes.Node]:
        blocks = [f".. autoclass:: {m.__module__}.{m.__name__}" for m in methods().values()]
        return _parsed(self, ["```{eval-rst}", *blocks, "```"])


def _parsed(directive: SphinxDirective, text: list[str]) -> list[nodes.Node]:
    parent = nodes.container()
    source = StringList(text, source=directive.env.docname)
    directive.state.nested_parse(source, directive.content_offset, parent)
    return parent.children


def _row(method: type[Weighting], page: Path) -> list[str]:
    name = f"[`{method.id}`]({page.name})" if page.exists() else f"`{method.id}`"
    keys = [key.strip() for key in method.reference.split(",") if key.strip()]
    cited = f"{{cite:t}}`{','.join(keys)}`" if keys else "-"
    place = method.place.to_json().values()
    what = [f"`{method.__name__}`", method.shape, method.numbers]
    cells = [name, *what, *place, cited, method.summary(), method.caution, method.status]
    return [cell.replace("|", "\\|") for cell in cells]


def setup(app):
    app.add_directive("methods-table", MethodsTable)
    app.add_directive("kinds-table", KindsTable)
    app.add_directive("papers-table", PapersTable)
    app.add_directive("methods-reference", MethodsReference)
    return {"parallel_read_safe": True}

"""The directive `{methods-table}`: every weighting that the code has, so that the table cannot be out of date."""

from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from nearwise.weighting import Weighting, methods

HEAD = (
    "id",
    "class",
    "shape",
    "bias",
    "weight space",
    "representation",
    "generality",
    "knowledge",
    "reference",
    "what it does",
)


class MethodsTable(SphinxDirective):
    """One row a method: its id (a link to its page), class, shape, place in the five dimensions, reference, summary."""

    def run(self) -> list[nodes.Node]:
        folder = Path(self.env.doc2path(self.env.docname)).parent
        rows = [HEAD, ["---"] * len(HEAD)]
        rows += [_row(method, folder / f"{name}.md") for name, method in methods().items()]
        text = ["| " + " | ".join(row) + " |" for row in rows]
        parent = nodes.container()
        self.state.nested_parse(StringList(text, source=self.env.docname), self.content_offset, parent)
        return parent.children


def _row(method: type[Weighting], page: Path) -> list[str]:
    name = f"[`{method.id}`]({page.name})" if page.exists() else f"`{method.id}`"
    keys = [key.strip() for key in method.reference.split(",") if key.strip()]
    cited = f"{{cite:t}}`{','.join(keys)}`" if keys else "-"
    place = method.place.to_json().values()
    cells = [name, f"`{method.__name__}`", method.shape, *place, cited, method.summary()]
    return [cell.replace("|", "\\|") for cell in cells]


def setup(app):
    app.add_directive("methods-table", MethodsTable)
    return {"parallel_read_safe": True}

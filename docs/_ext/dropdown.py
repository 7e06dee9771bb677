"""``:::{dropdown} title``: a part of a page that a reader unfolds, as the browser's own ``details``."""

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class details(nodes.General, nodes.Element):  # noqa: N801 (docutils writes nodes in small letters)
    """What is folded up, with its title."""


class Dropdown(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        folded = details(title=self.arguments[0])
        self.state.nested_parse(self.content, self.content_offset, folded)
        return [folded]


def visit(self, node: details) -> None:
    self.body.append(f"<details><summary>{self.encode(node['title'])}</summary>")


def depart(self, node: details) -> None:
    self.body.append("</details>")


def only_content(self, node: details) -> None:
    """Other formats than HTML show everything."""


def setup(app):
    app.add_node(details, html=(visit, depart), latex=(only_content, None), text=(only_content, None))
    app.add_directive("dropdown", Dropdown)
    return {"parallel_read_safe": True}

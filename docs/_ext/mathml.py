"""Formulas as MathML, which browsers draw themselves: nothing is fetched, and nothing runs in the page."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number

NAMED = {r"\arg": r"\operatorname{arg}"}
"""commands that latex2mathml does not know, in those that it does"""
FUNCTION = re.compile(r"<mi>([a-z]{2,})</mi>(?=(<mo[^>]*>(?:\(|&#x00028;))?)")
"""the name of a function, and the bracket behind it"""


def mathml(latex: str, display: str = "inline") -> str:
    """The formula as a MathML element; what cannot be read stops the build, with the formula in the message."""
    for command, known in NAMED.items():
        latex = re.sub(re.escape(command) + r"(?![a-zA-Z])", lambda _, known=known: known, latex)
    try:
        made = convert(latex.strip(), display=display)
    except Exception as error:  # latex2mathml has no common class for what it cannot read
        raise ExtensionError(f"The formula {latex!r} is not readable as LaTeX: {error!r}.") from error
    made = FUNCTION.sub(_apart, made)
    for bracket in "{}":  # of \\Bigl\\{ and the like
        made = made.replace(f">\\{bracket}<", f">{bracket}<")
    if "\\" in made:  # a command that is not known comes out as its own name
        raise ExtensionError(f"The formula {latex!r} has a command that latex2mathml does not know: {made}")
    return made


def _apart(name: re.Match[str]) -> str:
    """The name of a function with a little room to both sides, but for a bracket: n log n, not nlogn."""
    room = "0em" if name[2] else "0.167em"
    return f'<mo form="infix" lspace="0.167em" rspace="{room}">{name[1]}</mo>'


def parts(latex: str) -> list[str]:
    r"""The formulas of a line, which ``\qquad`` sets apart; a line that is aligned with others stays whole.

    >>> parts(r"a = b, \qquad c = \text{d \qquad e}")
    ['a = b,', 'c = \\text{d \\qquad e}']
    """
    if re.search(r"\\\\|&", re.sub(r"\\begin\{(\w+)\}.*?\\end\{\1\}", "", latex, flags=re.DOTALL)):
        return [latex]
    found, depth = [""], 0
    for piece in re.split(r"(\\qquad(?![a-zA-Z])|\\[{}]|[{}])", latex):
        depth += (piece == "{") - (piece == "}")
        if piece == r"\qquad" and depth == 0:
            found.append("")
        else:
            found[-1] += piece
    return [each.strip() for each in found if each.strip()]


def visit_math(self, node: nodes.math) -> None:
    self.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def visit_displaymath(self, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})</span>')
    self.body += [mathml(part, "block") for part in parts(node.astext())]
    self.body.append("</div>")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_displaymath, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""End the last section of a docstring where prose or an example begins, so that examples are shown as examples.

A section such as "Attributes" goes on, for napoleon, to the next heading: an example below it would be read as more
attributes, ``>>> clf = ...`` as the name of one. Two empty lines end a section, and this puts the second one there. It
also splits lists of names, ``classes_, plan_``, into one name for each, with what it means, and keeps the underline at
the end of a name, which would be read as that of a link, and calls a list of attributes so.
"""

import re

UNDERLINE = re.compile(r"^-{3,}$")
PROSE = re.compile(r"^(>>>|\.\. |[A-Z][\w' -]*[a-z]+[:.,]? )")
MEANINGS = {
    "accuracies_": "how often each feature alone is right",
    "case_ids_": "the id of each stored case; ids are never used again",
    "case_weights_": "a factor for the distance of each stored case",
    "classes_": "the classes, in the order of probabilities",
    "critiques_": "the corrections of an expert, in their order",
    "feature_": "the name of the one feature that answers",
    "feature_importances_": "one number for each feature, whatever the shape of its weights",
    "feature_weights_": "the learned weights, as a `Weights`",
    "members_": "the fitted members",
    "n_neighbors_": "the number of neighbours that is used, chosen or given",
    "p_": "the power under which differences add up",
    "plan_": "the engine that searches, and why",
    "schema_": "the kinds of the features, with the reason for each",
    "weighting_": "the fitted weighting",
    "weights_": "how much each member counts",
}
"""what attributes mean that a docstring lists by their names alone"""
NAMES = re.compile(r"^``?\w+``?(, *``?\w+``?)+,?$|^\w+(, *\w+)+,?$")


def ended(lines: list[str]) -> list[str]:
    """The lines with an empty one more before what is not part of a section, and lists of attributes split.

    >>> ended(["Attributes", "----------", "p_, classes_", "", ">>> f()"])[2:6]
    ['p_', '    the power under which differences add up', 'classes_', '    the classes, in the order of probabilities']
    """
    found: list[str] = []
    section = ""
    for place, line in enumerate(lines):
        if UNDERLINE.match(line) and found:
            section = found[-1]
        is_heading = place + 1 < len(lines) and UNDERLINE.match(lines[place + 1])
        if section and found[-1] == "" and not is_heading and PROSE.match(line):
            found.append("")
            section = ""
        is_told = place + 1 < len(lines) and lines[place + 1].startswith(" ")
        if section == "Attributes" and NAMES.match(line) and not is_told:
            for name in filter(None, map(str.strip, line.split(","))):
                if name.strip("`") not in MEANINGS:
                    raise ValueError(f"docs/_ext/docstring_sections.py does not say what {name} means.")
                found += [name, f"    {MEANINGS[name.strip('`')]}"]
        else:
            found.append(line)
    return found


def underlined(line: str) -> str:
    """A line of napoleon's with the underline of a name kept.

    >>> underlined(":ivar classes_: the classes")
    ':ivar classes\\\\_: the classes'
    """
    return re.sub(r"^(:ivar \w*)_:", r"\1\\_:", line)


def renamed(doctree):
    """What Sphinx calls variables are the attributes of the docstring, as users of scikit-learn know them."""
    from docutils import nodes  # what else is here is tested without the packages of the documentation

    for name in doctree.findall(nodes.field_name):
        if name.astext() == "Variables":
            name[:] = [nodes.Text("Attributes")]


def setup(app):
    def process(app, what, name, obj, options, lines):
        lines[:] = ended(lines)

    def process_after(app, what, name, obj, options, lines):
        lines[:] = [underlined(line) for line in lines]

    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process, priority=400)  # before napoleon, which has 500
    app.connect("autodoc-process-docstring", process_after, priority=600)
    app.connect("doctree-read", lambda app, doctree: renamed(doctree))
    return {"parallel_read_safe": True}

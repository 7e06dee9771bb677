"""End the last section of a docstring where prose or an example begins, so that examples are shown as examples.

A section such as "Attributes" goes on, for napoleon, to the next heading: an example below it would be read as more
attributes, ``>>> clf = ...`` as the name of one. Two empty lines end a section, and this puts the second one there. It
also splits lists of names, ``classes_, plan_``, into one name for each.
"""

import re

UNDERLINE = re.compile(r"^-{3,}$")
PROSE = re.compile(r"^(>>>|\.\. |[A-Z][\w' -]*[a-z]+[:.,]? )")
NAMES = re.compile(r"^``?\w+``?(, *``?\w+``?)+,?$|^\w+(, *\w+)+,?$")


def ended(lines: list[str]) -> list[str]:
    """The lines with an empty one more before what is not part of a section, and lists of attributes split.

    >>> ended(["Attributes", "----------", "a_, b_", "", ">>> f()"])
    ['Attributes', '----------', 'a_', 'b_', '', '', '>>> f()']
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
        if section == "Attributes" and NAMES.match(line):
            found += [name.strip() for name in line.split(",") if name.strip()]
        else:
            found.append(line)
    return found


def setup(app):
    def process(app, what, name, obj, options, lines):
        lines[:] = ended(lines)

    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process, priority=400)  # before napoleon, which has 500
    return {"parallel_read_safe": True}

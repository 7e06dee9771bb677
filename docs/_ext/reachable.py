"""Mends what the theme and the bibliography leave out for screen readers: levels of headings, entries of a list."""

LATE = 900
"""after the theme has drawn its navigation"""


def mend(app, page, template, context, doctree) -> None:
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')
    if "body" in context:  # a role that browsers have given up, in a list without any other entries
        context["body"] = context["body"].replace('role="doc-biblioentry"', 'role="listitem"')


def setup(app):
    app.connect("html-page-context", mend, priority=LATE)
    return {"parallel_read_safe": True}

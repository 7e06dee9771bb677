"""What the code says of a method, at the end of its page: class, parameters with defaults, kinds, targets, updates."""

import inspect

from nearwise.cases.kinds import KINDS
from nearwise.weighting import Mergeable, Weighting, methods

FOLDER = "methods/"
TARGETS = {
    "own": "a formula of its own",
    "binned": "cut into `target_bins` classes",
    "unseen": "no target is looked at",
    "refused": "refused",
}
WIDTH = 72
"""letters of a line that a phone shows most of"""
KEPT = ("none", "user")
"""methods whose weights hang on no case"""


def facts(method: type[Weighting]) -> str:
    """The section of one method."""
    given = [f"{name}={value!r}".replace("'", '"') for name, value in defaults(method).items()]
    call = f"nearwise.weighting.{method.__name__}({', '.join(given)})"
    if len(call) > WIDTH:
        call = "\n".join([call.partition("(")[0] + "(", *(f"    {each}," for each in given), ")"])
    where = f"{method.__module__}.{method.__name__}"
    kinds = [kind for kind in KINDS if kind in method.kinds]
    rows = [
        ("kinds of features", "all" if len(kinds) == len(KINDS) else ", ".join(kinds)),
        ("a number as target", TARGETS[method.numbers]),
        ("cases that come and go", updates(method)),
        ("shape of the weights", f"`{method.shape}`"),
        ("p, where none is given", f"{method.p:g}"),
    ]
    return "\n".join(
        [
            "", "## As a class", "", "```python", call, "```", "", "| what | with these defaults |", "| --- | --- |",
            *(f"| {what} | {told} |" for what, told in rows), "",
            f"What each parameter does is said with {{py:class}}`{method.__name__} <{where}>`.", "",
        ]
    )  # fmt: skip


def defaults(method: type[Weighting]) -> dict[str, object]:
    """The parameters in the order in which the class takes them."""
    return {name: one.default for name, one in inspect.signature(method).parameters.items()}


def updates(method: type[Weighting]) -> str:
    if issubclass(method, Mergeable):
        return "statistics merge: the weights are those of a new fit"
    if method.learns_again:
        return "the weights are learned anew"
    return "nothing changes" if method.id in KEPT else "the weights stay as they were, with a warning"


def add_facts(app, page: str, source: list[str]) -> None:
    known = methods()
    if page.startswith(FOLDER) and page.removeprefix(FOLDER) in known:
        source[0] += facts(known[page.removeprefix(FOLDER)])


def setup(app):
    app.connect("source-read", add_facts)
    return {"parallel_read_safe": True}

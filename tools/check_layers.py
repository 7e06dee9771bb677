"""Check that every stage of nearwise imports only stages before it.

    python tools/check_layers.py [path of the package, default src/nearwise]

The stage of a module is the first component of its path below the package. Imports inside functions and under
TYPE_CHECKING count too: a lazy import of a later stage is still a dependency on it.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "nearwise"
STAGES = (
    "visible",
    "errors",
    "files",
    "cache_folder",
    "native",
    "arithmetic",
    "stopping",
    "progress",
    "charts",
    "rendering",
    "cases",
    "differences",
    "weights",
    "search",
    "vote",
    "statistics",
    "contract",
    "representation",
    "weighting",
    "metrics",
    "answers",
    "explain",
    "storage",
    "estimators",
    "parts",
    "dask",
    "datasets",
    "lab",
    "app",
)
NATIVE = "_core"
NATIVE_USERS = {"native"}  # one door, in the lowest stage, since cutting and counting are as hot as searching
EXEMPT = {"__init__", "__main__"}  # the public face and the command see everything


def imported_names(tree: ast.AST, package: list[str]) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of everything a module imports; `package` is the package it lies in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith("import_module"):
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield node.lineno, name.value


def complaint(stage: str, name: str) -> str | None:
    """What is wrong when a module of this stage imports this name, if anything."""
    if name != PACKAGE and not name.startswith(f"{PACKAGE}."):
        return None
    target = name.split(".")[1] if "." in name else ""
    if target == NATIVE:
        return None if stage in NATIVE_USERS else f"{NATIVE} is only for {' and '.join(sorted(NATIVE_USERS))}"
    if target.startswith("__"):  # __version__
        return None
    if target not in STAGES:
        return f"'{name}' is the public face or an unknown stage: import from the stage itself"
    if STAGES.index(target) > STAGES.index(stage):
        return f"'{stage}' comes before '{target}' and must not import it"
    return None


def violations(root: Path) -> list[str]:
    found = []
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        stage = parts[0]
        if len(parts) == 1 and stage in EXEMPT:
            continue
        if stage not in STAGES:
            found.append(f"{path}: '{stage}' is no stage: add it to STAGES in tools/check_layers.py")
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        for line, name in imported_names(tree, [PACKAGE, *parts[:-1]]):
            if problem := complaint(stage, name):
                found.append(f"{path}:{line}: {problem}")
    return found


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).parents[1] / "src" / PACKAGE
    found = violations(root)
    print("\n".join(found) or f"layers: every import in {root.name} points to an earlier stage")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

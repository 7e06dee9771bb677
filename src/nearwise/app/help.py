"""What --help shows: examples that work, and what options take in words instead of types."""

from __future__ import annotations

from typing import Any

__all__ = ["EXAMPLES", "in_words"]

EXAMPLES = {
    "demo": ["nearwise demo", "nearwise demo --data cars.jsonl"],
    "datasets": ["nearwise datasets", "nearwise datasets iris --out iris.csv"],
    "methods": ["nearwise methods", "nearwise methods --bias feedback", "nearwise methods --papers"],
    "schema": [
        "nearwise schema data.csv",
        "nearwise schema data.csv --out schema.json",
        "cat data.csv | nearwise schema -",
    ],
    "weights": [
        "nearwise weights data.csv --target y",
        "nearwise weights data.csv --target y --weights 'mdw(per_class=false)' --out weights.json",
    ],
    "rank": [
        "nearwise rank data.csv --target y",
        "nearwise rank data.csv --target y --weights ig,gr,relief-f --json",
        "nearwise rank data.csv --target y --weights all --time-limit 30",
    ],
    "evaluate": [
        "nearwise evaluate data.csv --target y",
        "nearwise evaluate data.csv --target y --weights default,gr,'relief-f(n_neighbors=5)' --cv 10",
        "nearwise evaluate --train dimin.train --test dimin.test",
    ],
    "report": [
        "nearwise report data.csv --target y",
        "nearwise report data.csv --target y --out report.html --time-limit 60 --rows 0,7",
    ],
    "fit": [
        "nearwise fit data.csv --target y --out model.nearwise",
        "nearwise fit data.csv --target price --regression --out model.nearwise",
    ],
    "predict": [
        "nearwise predict model.nearwise new.csv",
        "nearwise predict model.nearwise new.csv --proba --out answers.csv",
    ],
    "neighbors": [
        "nearwise neighbors model.nearwise new.csv --k 5",
        "nearwise neighbors model.nearwise new.csv --rows 0 --where fuel=petrol",
    ],
    "explain": [
        "nearwise explain model.nearwise new.csv",
        "nearwise explain model.nearwise new.csv --rows 3 --html why.html",
    ],
    "critique": [
        "nearwise critique model.nearwise new.csv --row 3 --class fox --more ears",
        "nearwise critique model.nearwise --undo",
    ],
    "convert": ["nearwise convert data.xlsx data.csv", "nearwise convert data.csv data.parquet --numbers european"],
    "explore": ["nearwise explore data.csv --target y", "nearwise explore model.nearwise --no-browser --port 8765"],
    "serve": ["nearwise serve model.nearwise --port 8765"],
    "doctor": ["nearwise doctor", "nearwise doctor data.csv --target y"],
    "reproduce": ["nearwise reproduce list", "nearwise reproduce howe-cardie-1 --quick"],
    "study": ["nearwise study --quick --out study"],
    "completion": [
        "nearwise completion bash >> ~/.bashrc",
        "nearwise completion zsh >> ~/.zshrc",
        "nearwise completion fish > ~/.config/fish/completions/nearwise.fish",
    ],
}
"""command -> command lines, the plainest first"""

_COLUMN = ("target", "label", "group_by", "fold_column")
_COLUMNS = ("ignore", "keep", "more", "less")
_METAVARS = {
    **dict.fromkeys(_COLUMN, "COLUMN"), **dict.fromkeys(_COLUMNS, "COLUMNS"), "method": "METHODS", "k": "K",
    "kind": "COLUMN=KIND", "where": "COLUMN=VALUE", "sql": "SELECT", "na": "TEXTS", "comment": "SIGN", "sep": "SIGN",
    "cache": "FOLDER", "rows": "ROWS", "correct": "CLASS", "cases": "N",
}  # fmt: skip
"""parameter -> what its option takes, where the type does not say it"""


def in_words(command: Any) -> None:
    """Say in words what the options of all commands take, and show examples after them."""
    for name, each in command.commands.items():
        for parameter in each.params:
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = lambda ctx: None  # the metavar says it
            elif not getattr(parameter, "is_flag", False) and parameter.metavar is None:
                parameter.metavar = _METAVARS.get(parameter.name) or _by_type(parameter)
        if name in EXAMPLES and not each.epilog:
            each.epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in EXAMPLES[name])


def _by_type(parameter: Any) -> str:
    """FILE, N, NUMBER or WORD; releases of typer keep the type in one of two places."""
    described = getattr(parameter, "type_descriptor", None)
    told = f"{getattr(described, 'annotation', '')} {getattr(getattr(parameter, 'type', None), 'name', '')}".lower()
    return next((word for part, word in (("path", "FILE"), ("int", "N"), ("float", "NUMBER")) if part in told), "WORD")

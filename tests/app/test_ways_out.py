"""What goes wrong on the command line is told in its own words: no parameter of Python, and only options it has."""

import re

import pytest

from nearwise.app.wayout import TYPED, on_command_line

LEARN = ["--target", "class"]

FILES = {
    "words.csv": "a,b,class\n" + "".join(f"{i},{'uv'[i % 2]},{'pq'[i % 3 == 0]}\n" for i in range(12)),
    "european.csv": "a;b;class\n1.234,5;u;p\n2,5;v;q\n",
    "infinite.csv": "a,b,class\n1,inf,p\n2,3,q\n",
    "large.csv": "a,b,class\n9007199254740993,1,p\n9007199254740995,2,q\n",
    "comments.csv": "# said before\na,b,class\n1,2,p\n",
    "nameless.csv": "1,2,p\n3,4,q\n",
    "twice.csv": "a,a,class\n1,2,p\n",
    "no-name.csv": "a,,class\n1,2,p\n",
    "unlabelled.csv": "a,b,class\n1,2,p\n3,4,\n",
    "blanks.csv": "a b class\n1 2 p\n3 4 q\n",
    "sentences.csv": "a,class\n" + "".join(f"the car number {i} has a scratch,{'pq'[i % 2]}\n" for i in range(12)),
    "objects.jsonl": '{"a": {"b": 1}, "class": "p"}\n{"a": {"b": 2}, "class": "q"}\n',
    "mixed.jsonl": '{"a": [1, 2], "class": "p"}\n{"a": [1], "class": "q"}\n{"a": ["x", 1], "class": "q"}\n',
    "numbers.csv": "a,class\n" + "".join(f"{i},{i * 1.5}\n" for i in range(40)),
    "names.csv": "a,class\n" + "".join(f"{i},name {i}\n" for i in range(20)),
    "few.csv": "a,class\n" + "".join(f"{i},{i % 4}\n" for i in range(40)),
    "file.unknown": "a,b\n1,2\n",
    "broken.json": "[1",
    "options.toml": "traget = 'class'\n",
    "table.arff": "@relation r\n@attribute a relational\n@end a\n@data\n",
}

ASKED = [
    *(["schema", name] for name in FILES if name != "options.toml"),
    ["schema", "words.csv", "--sep", ";;"],
    ["schema", "words.csv", "--encoding", "foo"],
    ["schema", "words.csv", "--numbers", "french"],
    ["schema", "words.csv", "--format", "foo"],
    ["schema", "words.csv", "--comment", ""],
    ["schema", "words.csv", "--max-columns", "2"],
    ["schema", "words.csv", "--max-line", "2"],
    ["schema", "words.csv", "--sheet", "A"],
    ["schema", "words.csv", "--ignore", "a", "--ignore", "b"],
    ["schema", "words.csv", "--ignore", "nope"],
    ["schema", "words.csv", "--kind", "nope=symbolic"],
    ["schema", "words.csv", "--kind", "b=numeric"],
    ["schema", "words.csv", "--kind", "b=date:year"],
    ["schema", "words.csv", "--kind", "a=date:yeer"],
    ["schema", "words.csv", "--kind", "a=custom"],
    ["schema", "words.csv", "--group-by", "nope"],
    ["schema", "words.csv", "--group-by", "b", "--keep", "nope"],
    ["schema", "words.csv", "--group-by", "class"],
    ["schema", "words.csv", "--label", "nope"],
    ["schema", "words.csv", "--schema", "broken.json"],
    ["schema", "words.csv", "--schema", "words.csv"],
    ["schema", "words.csv", "--config", "options.toml"],
    ["schema", "words.csv", "--sql", "select nope from data"],
    ["schema", "european.csv", "--kind", "a=numeric"],
    ["schema", "-words.csv"],
    *(
        [command, "words.csv", *LEARN, *more]
        for command in ("fit", "evaluate")
        for more in (
            ["--k", "0"], ["--k", "9-2"], ["--vote", "foo"], ["--ties", "foo"], ["--missing", "foo"],
            ["--missing", "nope=max"], ["--differences", "foo"], ["--differences", "nope=mvdm"],
            ["--differences", "b=range"], ["--p", "0"], ["--seed", "-1"], ["--weights", "relief"],
            ["--weights", "relief-f(n_neighbors=0)"], ["--weights", "relief-f(neighbors=3)"],
            ["--weights", "relief-f(n_neighbors=100)"], ["--weights", "ebl"], ["--weights", "gr(of=3)"],
            ["--weights", "mi(discretise=foo)"], ["--weights", "nope.json"], ["--weights", "all(k=3)"],
            ["--knowledge", "words.csv"], ["--regression"], ["--weights", "auto", "--k", "3"],
        )
    ),
    *(
        ["evaluate", "words.csv", *LEARN, *more]
        for more in (
            ["--cv", "50"], ["--protocol", "foo"], ["--measure", "foo"], ["--significance", "foo"],
            ["--fold-column", "nope"], ["--fold-column", "b"], ["--test-size", "2"], ["--fold-size", "50"],
            ["--protocol", "random", "--train-size", "0"], ["--costs", "words.csv"], ["--cv", "7", "--fold-size", "9"],
        )
    ),
    *(["fit", name, *LEARN] for name in FILES if name.endswith(("csv", "jsonl"))),
    ["fit", "numbers.csv", *LEARN, "--regression", "--weights", "chi2(target_bins=0)"],
    ["fit", "words.csv", *LEARN, "--stream"],
    ["fit", "words.csv"],
    ["rank", "words.csv", *LEARN, "--weights", "relief-f(n_neighbors=100),nope"],
    ["predict", "words.csv", "words.csv"],
    ["predict", "m.nearwise", "m.nearwise"],
    ["predict", "m.nearwise", "european.csv"],
    ["predict", "m.nearwise", "words.csv", "--target", "nope"],
    ["neighbors", "m.nearwise", "words.csv", "--where", "nope=3"],
    ["neighbors", "m.nearwise", "words.csv", "--where", "a=100..200"],
    ["neighbors", "m.nearwise", "words.csv", "--k", "0"],
    ["explain", "m.nearwise", "words.csv", "--rows", "99"],
    ["critique", "m.nearwise", "words.csv", "--class", "p"],
    ["schema", "m.nearwise"],
    ["report", "words.csv", "--target", "nope"],
    ["convert", "objects.jsonl", "objects.csv"],
]  # fmt: skip

# a value that is given to a name, an object that is made, a method of an object
PYTHON = re.compile(
    r"\b\w+=(?:'|\"|\{|\[|True\b|False\b|None\b|-?\d)|\b[A-Z]\w+\([^)]*\)|\.\w+\(|\b(?:KNN|Auto|nw)\w*\b"
)


@pytest.fixture
def asked(nearwise, tmp_path):
    """What a command line says on standard error, without a method in brackets, which is written so here, too."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "-words.csv").write_text(FILES["words.csv"])
    assert nearwise("fit", "words.csv", *LEARN, "--out", "m.nearwise").code == 0

    def ask(words):
        out = ["--out", f"out{len(words)}.html"] if words[0] in ("fit", "report") else []
        done = nearwise(*words, *out)
        assert done.code in (0, 2), (words, done.err)
        return done

    return ask


@pytest.fixture
def options(nearwise):
    known = {}

    def of(command):
        if command not in known:
            known[command] = {"--help", *re.findall(r"--[a-z][a-z-]*", nearwise(command, "--help").out)}
        return known[command]

    return of


def told_by_methods(words):
    """Parameters that were typed in brackets are named as they were typed."""
    return {name for word in words for name in re.findall(r"(\w+)=", word.partition("(")[2])}


def test_no_sentence_holds_python_and_every_option_that_is_named_exists(asked, options):
    wrong = []
    for words in ASKED:
        done = asked(words)
        own = told_by_methods(words) | {"n_neighbors"}
        for line in done.err.splitlines():
            python = [found for found in PYTHON.findall(line) if found.partition("=")[0] not in own]
            wrong += [(words, line, python)] if python else []
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", line))
            elsewhere = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", " ".join(re.findall(r"`[^`]*`", line))))
            typed = {word for word in words if word.startswith("--")}
            unknown = named - options(words[0]) - elsewhere - typed
            wrong += [(words, line, unknown)] if unknown else []
    assert not wrong, "\n".join(map(str, wrong))


def test_parameters_of_a_method_keep_their_names():
    assert on_command_line("n_neighbors=0: expected a whole number") == "--k 0: expected a whole number"
    way_out = "max_time= ends it at a time, max_cases= learns from fewer cases"
    assert on_command_line(way_out).startswith("(max_time=60) behind the method ends it at a time, (max_cases=1000)")
    before = TYPED.set(["fit", "a.csv", "--weights", "relief-f(n_neighbors=0)", "--k", "3"])
    try:
        assert on_command_line("n_neighbors=0: expected a whole number") == "n_neighbors=0: expected a whole number"
    finally:
        TYPED.reset(before)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["schema", "-words.csv"], "'-words.csv' begins as options do: for the file of this name, write ./-words.csv"),
        (["fit", "words.csv"], "--target is missing. The column to predict."),
        (["train", "words.csv"], "There is no command 'train'. Did you mean 'fit'?"),
        (["schema", "m.nearwise"], "'m.nearwise' is a model, where a table is expected"),
        (
            ["predict", "words.csv", "m.nearwise"],
            "is not a nearwise model: it does not begin like one. Name a file that",
        ),
        (["schema", "words.csv", "--schema", "broken.json"], "broken.json: The schema is not JSON"),
        (["fit", "words.csv", *LEARN, "--seed", "-1"], "--seed -1: expected a whole number from 0."),
        (["evaluate", "words.csv", *LEARN, "--significance", "foo"], "--significance foo: expected one of"),
        (["schema", "infinite.csv"], "expected finite numbers. Mend the value, or name it with --na."),
        (["schema", "objects.jsonl"], "make them text or numbers, or leave it out, --ignore a."),
        (["fit", "names.csv", *LEARN], "Every case has a value of its own in column 'class'"),
    ],
)
def test_the_way_out_is_that_of_the_command_line(asked, words, told):
    done = asked(words)
    assert done.code == 2
    assert told in done.err


def test_numbers_that_are_taken_as_classes_are_told(asked):
    assert (
        "note: the 4 numbers in column 'class' are classes here; --regression" in asked(["fit", "few.csv", *LEARN]).err
    )
    assert "are classes here" not in asked(["fit", "few.csv", *LEARN, "--kind", "class=symbolic"]).err


def test_long_work_tells_its_way_out_in_the_words_of_the_shell(nearwise, monkeypatch):
    from nearwise import progress
    from nearwise.app import main as app

    def works(*_):
        forecast = progress.Forecast("The search", "max_time= ends it at a time")
        forecast.seconds = 60.0
        forecast._shows = True
        forecast._tell()
        return app.OK

    monkeypatch.setattr(progress, "_is_watched", lambda: True)
    monkeypatch.setattr(app, "_run", works)
    done = nearwise("fit")
    assert done.err == "The search will take about 60 seconds: (max_time=60) behind the method ends it at a time.\n"


def test_a_file_without_a_column_of_the_model_is_told_that_the_model_asks_for_it(nearwise, play, tmp_path):
    assert nearwise("fit", play, "--target", "class", "--weights", "none", "--k", "1", "--out", "m.nearwise").code == 0
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    told = nearwise("predict", "m.nearwise", "other.csv").err
    assert told.startswith("nearwise: other.csv has no column 'heat', which the model asks for. Known: 'a', 'b'.")
    assert "--where names 'hat'" in nearwise("neighbors", "m.nearwise", play, "--where", "hat=1").err

"""An option of one value that is given twice is refused: the second would win without a word."""

import pytest
import typer

from nearwise.app.main import app
from nearwise.app.twice import refuse_twice
from nearwise.errors import InputError

COMMANDS = typer.main.get_command(app).commands


def options(command):
    return [each for each in command.params if each.param_type_name == "option"]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_one_value_is_refused_twice_and_every_other_is_not(name):
    for option in options(COMMANDS[name]):
        for one in option.opts:
            words = [name, "x.csv", one, "7", option.opts[0], "8"]
            if option.is_flag:
                refuse_twice([name, one, option.opts[0]], COMMANDS)
            elif option.multiple:
                refuse_twice(words, COMMANDS)
            else:
                with pytest.raises(InputError, match=rf"^{option.opts[0]} is given twice, '7' and '8': "):
                    refuse_twice(words, COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_flag_and_its_opposite_are_refused(name):
    for option in options(COMMANDS[name]):
        for opposite in option.secondary_opts:
            with pytest.raises(InputError, match=f"^{option.opts[0]} and {opposite} say opposite things"):
                refuse_twice([name, option.opts[0], opposite], COMMANDS)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("schema t.csv --target y --target z", "--target is given twice, 'y' and 'z': expected it once."),
        ("schema t.csv --ignore a --ignore=b", "--ignore is given twice, 'a' and 'b': name all in one, --ignore a,b."),
        ("schema t.csv -oa.json --out b.json", "--out is given twice, 'a.json' and 'b.json'"),
        ("schema t.csv --config a.toml --config=b.toml", "--config is given twice"),
    ],
)
def test_the_sentence_says_which_and_what_to_do(nearwise, tmp_path, words, told):
    (tmp_path / "t.csv").write_text("a,b,y,z\n1,2,u,v\n3,4,v,u\n")
    done = nearwise(*words.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"nearwise: {told}")
    assert done.err.count("\n") == 1


def test_a_value_that_looks_like_an_option_and_files_behind_dashes_are_none(nearwise, tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,u\n2,v\n")
    refuse_twice(["schema", "--na", "--na", "t.csv", "--sep", "--na"], COMMANDS)
    refuse_twice(["schema", "--sep", ",", "--", "--sep"], COMMANDS)
    assert nearwise("schema", "t.csv", "--kind", "a=symbolic", "--kind", "y=text", "--json", "--json").code == 0

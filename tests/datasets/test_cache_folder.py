"""The folder of the cache: the variable first, then the custom of the system."""

import sys
from pathlib import Path

import pytest

from nearwise.cache_folder import user_folder


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, ".cache/nearwise"),
        ("linux", {"XDG_CACHE_HOME": "kept"}, "kept/nearwise"),
        ("darwin", {"XDG_CACHE_HOME": "kept"}, "Library/Caches/nearwise"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/nearwise"),
        ("win32", {}, "AppData/Local/nearwise"),
        ("win32", {"NEARWISE_CACHE": "mine"}, "mine"),
    ],
)
def test_each_system_has_its_folder(platform, variables, expected, monkeypatch, tmp_path):
    for name in ("NEARWISE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, folder in variables.items():
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert user_folder() == tmp_path / expected
    assert not user_folder().exists()

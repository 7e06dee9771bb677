"""First looks at parts, kept in files while a fit is not finished."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np

from nearwise.cases.looks import Look, TableLook
from nearwise.parts.part import Glance
from nearwise.storage import container
from nearwise.storage.settings import SettingsPacker, SettingsUnpacker

__all__ = ["read_glance", "write_glance"]


def write_glance(path: Path, glance: Glance) -> None:
    pack = SettingsPacker()
    looks = []
    for name, look in glance.look.looks.items():
        held = {f.name: pack.value(getattr(look, f.name)) for f in fields(Look) if f.name != "symbols"}
        symbols = None if look.symbols is None else pack.sequence(list(look.symbols))
        looks.append([name, {**held, "symbols": symbols}])
    told = {"looks": looks, "n": glance.look.n, "classes": pack.value(glance.classes), "weight": glance.weight}
    container.write(path, told, pack.arrays)


def read_glance(path: Path) -> Glance:
    content, arrays = container.read(path)
    unpack = SettingsUnpacker(arrays, {})
    looks = {}
    for name, told in content["looks"]:
        symbols = told.pop("symbols")
        held = None if symbols is None else frozenset(unpack.sequence(symbols))
        looks[str(name)] = Look(**{key: unpack.value(value) for key, value in told.items()}, symbols=held)
    classes = unpack.value(content["classes"])
    look = TableLook(looks, int(content["n"]))
    return Glance(look, None if classes is None else np.asarray(classes), content.get("weight"))

"""Say in one sentence what this machine lacks (before installing) or which engine is in use (--engine).

Runs on Python 3.6 and newer, so that an old one is told so instead of failing on syntax.
"""

import importlib.util
import os
import shutil
import sys
import sysconfig

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


def check_before_installing():
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python may well run this file
        sys.exit(f"nearwise needs Python 3.11 or newer, this is {VERSION}: run make PYTHON=python3.11")
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        sys.exit(
            f"This Python cannot make virtual environments: install python{VERSION}-venv (Debian, Ubuntu) "
            "and run make again."
        )
    compilers = [os.environ.get("CXX") or "c++", "g++", "clang++", "cl"]
    if not any(shutil.which(compiler) for compiler in compilers):
        print("No C++ compiler found, going on without the native engine: install g++ and run make build for speed.")
    elif not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        print(
            f"Python.h not found, going on without the native engine: install python{VERSION}-dev "
            "(Debian, Ubuntu) or python3-devel (Fedora) and run make build for speed."
        )


def report_engine():
    try:
        import nearwise._core as core
    except ModuleNotFoundError as error:
        if error.name != "nearwise._core":
            raise
        print("engine: NumPy (the native engine was not built; everything works, large tables take longer)")
        if os.environ.get("NEARWISE_REQUIRE_NATIVE") == "1":
            sys.exit("The native engine is required by NEARWISE_REQUIRE_NATIVE=1, but it was not built.")
    else:
        print(f"engine: native ({core.instruction_set()})")


if __name__ == "__main__":
    report_engine() if "--engine" in sys.argv[1:] else check_before_installing()

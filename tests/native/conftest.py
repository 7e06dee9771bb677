import importlib
import os
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def core() -> ModuleType:
    """The native kernels; under NEARWISE_REQUIRE_NATIVE=1 their absence is a failure."""
    try:
        return importlib.import_module("nearwise._core")
    except ModuleNotFoundError as error:
        if error.name != "nearwise._core":
            raise
    reason = "nearwise._core is not there: the package was installed without a compiler"
    if os.environ.get("NEARWISE_REQUIRE_NATIVE") == "1":
        pytest.fail(reason)
    pytest.skip(reason)

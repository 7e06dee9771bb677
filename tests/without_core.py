"""What the run without the native core leaves out, since the run with it has proved it, and why."""

SAME_WITHOUT_CORE: dict[str, str] = {}
"""file or test, from the folder of the tests -> reason"""


def reason(nodeid: str) -> str | None:
    """Why a test need not be run again without the core; None where it must."""
    name = nodeid.removeprefix("tests/").partition("[")[0]
    return next((why for path, why in SAME_WITHOUT_CORE.items() if name == path or name.startswith(f"{path}::")), None)

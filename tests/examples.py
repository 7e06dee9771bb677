"""How many examples a property tries: few where a person waits for them, many in the thorough pass."""

import os

USUAL = 100
"""of each property in the thorough pass that does not say how many it wants"""
FEW = 20
"""of the same property in `make test`"""
EXAMPLES = int(os.environ.get("NEARWISE_EXAMPLES", FEW))


def examples(n: int) -> int:
    """What a property gets that wants n examples in the thorough pass: its share of them, but no fewer than five."""
    return max(min(n, 5), n * EXAMPLES // USUAL)

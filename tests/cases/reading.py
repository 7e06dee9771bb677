"""What every refusal of a reader must be."""

import pytest

import nearwise
from nearwise.errors import ReadError


def refused(path, error=ReadError, **options):
    with pytest.raises(error) as caught:
        nearwise.read(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert message[-1] in ".?"
    return message

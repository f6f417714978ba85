"""Random streams by name."""

from ragassay.stats.random_streams import random_stream


def test_streams_depend_on_their_name_alone():
    one, again, other = (random_stream(7, name).random() for name in ("a", "a", "b"))
    assert one == again != other

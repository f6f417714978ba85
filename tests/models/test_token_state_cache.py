import numpy as np

from ragassay.models.encoder import RecentStates

STATES = np.arange(8, dtype=np.float32).reshape(2, 4)  # 32 bytes


def test_finds_what_was_kept_as_it_was():
    held, states = RecentStates(), STATES.copy()
    held.keep([1, 70_000], states)
    states[0] = -1
    assert np.array_equal(held.find([1, 70_000]), STATES)
    assert held.find([70_000, 1]) is None and held.find([]) is None


def test_the_oldest_go_first():
    held = RecentStates(limit=2 * STATES.nbytes)
    for one in (1, 2, 2, 3):
        held.keep([one], STATES)
    assert [held.find([one]) is None for one in (1, 2, 3)] == [True, False, False]


def test_what_is_larger_than_all_room_is_not_held():
    held = RecentStates(limit=STATES.nbytes - 1)
    held.keep([1], STATES)
    assert held.find([1]) is None
    held.keep([2], STATES[:1])
    assert held.find([2]) is not None

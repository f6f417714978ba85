from ragassay.scores.memo import LONGEST, remembered


def test_a_short_text_is_read_once_and_a_long_one_every_time():
    read = []
    length = remembered(lambda text: read.append(text) or [len(text)])
    assert length("fee") is length("fee") and read == ["fee"]
    long = "x" * (LONGEST + 1)
    assert length(long) == length(long) == [LONGEST + 1] and len(read) == 3

"""What the assistant's process finds in its environment."""

from ragassay.assistant import process


def test_it_computes_on_the_cpu_whatever_the_run_names(tmp_path, monkeypatch):
    """Drivers of a device write where a confined process may not."""
    monkeypatch.setenv("RAGASSAY_DEVICE", "cuda")
    assert process._environment(tmp_path, None, "")["RAGASSAY_DEVICE"] == ""

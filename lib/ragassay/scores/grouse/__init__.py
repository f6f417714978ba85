"""What the six criteria of GroUSE rest on (`families/grouse.py`)."""

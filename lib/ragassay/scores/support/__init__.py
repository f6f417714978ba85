"""The support model and the features of an answer that it reads (`families/support.py`)."""

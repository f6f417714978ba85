"""What a language model is asked for a mark, and what its reply must hold (`families/judged.py`)."""

"""What was not tested, and the register of risks that says what was."""

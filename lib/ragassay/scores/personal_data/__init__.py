"""Personal data in texts: found by form and check digits, hidden wherever answers are shown."""

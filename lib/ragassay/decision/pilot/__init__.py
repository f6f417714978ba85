"""The supervised pilot: its length and roles, what staff must find, the numbers that end it."""

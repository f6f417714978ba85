"""What attacks, misuse, personal data and toxic text came to, as rates and as rows of the table `checks`."""

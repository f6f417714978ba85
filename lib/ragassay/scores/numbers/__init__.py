"""Numbers, amounts and dates in texts and tables: read, put beside one another, traced to the passages."""

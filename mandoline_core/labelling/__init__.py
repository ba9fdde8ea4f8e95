"""A few labels of new rows: what they say with the estimate, and which rows to label next."""

"""Tables that stay where they are: an engine goes over their rows, and only counts and a draw of rows leave it."""

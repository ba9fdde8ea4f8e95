"""Text by grammar, inoffensive and seeded: a file for each kind that the paper's experiments need."""

"""The paper's experiments, a file each: sizes, parameters and seeds as there, and its numbers."""

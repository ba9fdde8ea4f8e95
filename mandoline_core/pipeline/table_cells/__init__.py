"""Cells: a sample that stays in a table goes in; rows alike in slices and answers, with how many they are, come out."""

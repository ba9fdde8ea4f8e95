"""Fuzzing: mutated files, patterns and expressions through the command line; a sentence or an answer, nothing else.

`python -m tests.fuzz` runs many (`make fuzz`), `test_fuzz.py` a tenth of them. An input is made of a seed, a kind and a
number alone, so that any of them can be made again. What once failed is kept in `cases.py`.
"""

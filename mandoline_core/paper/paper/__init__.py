"""The paper's own numbers on text, as printed, a file for each data set; percentages stay percentages."""

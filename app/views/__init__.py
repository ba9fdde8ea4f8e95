"""The pages: a folder each, with the page and its sections; `parts` is what they share."""

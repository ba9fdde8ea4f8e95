"""The sections of the Trust page, one file a group of questions."""

"""A report as HTML: a fragment for a notebook, and one file that holds everything. Every name in it is escaped."""

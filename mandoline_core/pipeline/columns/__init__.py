"""Columns: a draw of the rows of both samples goes in; what each column adds up to by slice pattern comes out."""

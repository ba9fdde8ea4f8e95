"""What nobody modelled: columns, words and pairs go in; how far each is off after weighting comes out."""

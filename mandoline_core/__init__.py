"""Estimate how well a model does on data without labels, by reweighting labelled data slice by slice."""

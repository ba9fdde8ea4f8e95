"""Fine-tuning: texts of two samples and the folder of a model go in; how new each row looks comes out.

Only `training` knows PyTorch and Transformers, and imports them when it runs.
"""

"""A first result with balance: each function is all that a user writes for one problem."""


def calibrated(labelled, new):
    """Weight the labelled rows by inverse propensity, and average what was right."""
    import balance
    import numpy as np
    import pandas as pd

    labelled, new = pd.read_csv(labelled), pd.read_csv(new)
    columns = ["id", *labelled.columns.intersection(["a", "b", "c", "large", "hard"])]
    scored = labelled[columns].assign(right=(labelled["label"] == labelled["prediction"]).astype(float))
    source = balance.Sample.from_frame(scored, id_column="id", outcome_columns="right")
    adjusted = source.set_target(balance.Sample.from_frame(new[columns], id_column="id")).adjust(method="ipw")
    return np.average(adjusted.df["right"], weights=adjusted.df["weight"])


overconfident = calibrated


def regression(labelled, new):
    """Weight the labelled rows by inverse propensity, and average the absolute errors."""
    import balance
    import numpy as np
    import pandas as pd

    labelled, new = pd.read_csv(labelled), pd.read_csv(new)
    columns = ["id", "a", "b", "c", "large"]
    scored = labelled[columns].assign(error=(labelled["label"] - labelled["prediction"]).abs())
    source = balance.Sample.from_frame(scored, id_column="id", outcome_columns="error")
    adjusted = source.set_target(balance.Sample.from_frame(new[columns], id_column="id")).adjust(method="ipw")
    return np.average(adjusted.df["error"], weights=adjusted.df["weight"])

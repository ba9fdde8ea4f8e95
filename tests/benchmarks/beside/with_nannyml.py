"""A first result with NannyML: each function is all that a user writes for one problem."""


def calibrated(labelled, new):
    """Estimate the accuracy from calibrated probabilities (CBPE)."""
    import nannyml as nml
    import pandas as pd

    labelled, new = pd.read_csv(labelled), pd.read_csv(new)
    estimator = nml.CBPE(
        y_pred_proba="p",
        y_pred="prediction",
        y_true="label",
        problem_type="classification_binary",
        metrics=["accuracy"],
        chunk_size=len(new),
    )
    estimator.fit(labelled)
    return estimator.estimate(new).filter(period="analysis").to_df()["accuracy"]["value"].iloc[0]


overconfident = calibrated


def regression(labelled, new):
    """Estimate the mean absolute error from predicted losses (DLE)."""
    import nannyml as nml
    import pandas as pd

    labelled, new = pd.read_csv(labelled), pd.read_csv(new)
    estimator = nml.DLE(
        feature_column_names=["a", "b", "c", "large"],
        y_pred="prediction",
        y_true="label",
        metrics=["mae"],
        chunk_size=len(new),
    )
    estimator.fit(labelled)
    return estimator.estimate(new).filter(period="analysis").to_df()["mae"]["value"].iloc[0]

"""A first result with Mandoline: each function is all that a user writes for one problem."""


def calibrated(labelled, new):
    """Estimate the accuracy, with one slice."""
    import pandas as pd

    import mandoline_core as md

    source = md.Sample(pd.read_csv(labelled), label="label", prediction="prediction")
    report = md.estimate(source, md.Sample(pd.read_csv(new)), ["a > 0.5", "a > 1.5", "a > -0.5"])
    return report.estimate


def overconfident(labelled, new):
    """Estimate the accuracy, with one slice."""
    import pandas as pd

    import mandoline_core as md

    source = md.Sample(pd.read_csv(labelled), label="label", prediction="prediction")
    report = md.estimate(source, md.Sample(pd.read_csv(new)), ["hard == 1"])
    return report.estimate


def regression(labelled, new):
    """Estimate the mean absolute error, with the same slices."""
    import pandas as pd

    import mandoline_core as md

    source = md.Sample(pd.read_csv(labelled), label="label", prediction="prediction")
    report = md.estimate(source, md.Sample(pd.read_csv(new)), ["a > 0.5", "a > 1.5", "a > -0.5"], metric="mae")
    return report.estimate

"""A session with a scikit-learn model, in cells: run it as a script, or open it as a notebook (Jupytext)."""

# %% Train a model on half of the labelled reviews, and keep the other half to evaluate it.
from pathlib import Path

import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline

import mandoline_core as md

here = Path(__file__).parent / "reviews"
reviews = pd.read_csv(here / "source.csv")[["text", "n_words", "label"]]
posts = pd.read_csv(here / "target.csv")[["text", "n_words"]]
fitting, held_out = reviews[::2], reviews[1::2]
model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(fitting["text"], fitting["label"])


# %% Its predictions as columns, and the votes of a function: 1 in the slice, -1 not in it, 0 abstains.
def vote(texts: pd.Series) -> pd.DataFrame:
    slang = texts.str.contains(r"\b(?:lol|omg|tbh|imo|ngl|bruh|lowkey|meh|smh)\b", case=False)
    return pd.DataFrame({"slang": slang.map({True: 1, False: -1})})


predicted, new_predicted = (md.predict_columns(model, frame["text"], name="tfidf") for frame in (held_out, posts))
votes, new_votes = (md.slices_from_votes(vote(frame["text"])) for frame in (held_out, posts))
labelled = held_out.join(predicted.frame).join(votes.frame)
source = md.Sample(labelled, label="label", models=[predicted.model], name="reviews")
target = md.Sample(posts.join(new_predicted.frame).join(new_votes.frame), name="posts")

# %% Slices and the estimate. In a notebook, `report`, `table` and `comparison` show as tables.
slices = [
    md.Length("short", column="text", unit="words", below=30),
    md.Keyword("negation", column="text", words=("not", "never", "no", "nothing", "don't")),
    md.Confidence("sure", above=0.75),
    *votes.slices,
]
report = md.estimate(source, target, slices)
print(report)
table = md.slice_table(md.prepare(source, target, slices, model=predicted.model))
comparison = md.compare(source, target, slices, estimators=["source", "mandoline", "cot"])

# %% The weights are a sample_weight: for any scikit-learn metric, and to train for the new data.
weighted = accuracy_score(labelled["label"], labelled["pred_tfidf"], sample_weight=report.weights)
print(f"weighted accuracy_score: {weighted:.4f}; estimate: {report.estimate:.4f}")

# %% The truth, because the sample has it.
truth = pd.read_csv(here / "target_labels.csv")["label"]
print(f"truth: {accuracy_score(truth, new_predicted.frame['pred_tfidf']):.4f}")

"""A session with a model of scikit-learn, in cells: run it as a script, or open it as a notebook (Jupytext)."""

# %% A model, fitted on half of the labelled reviews; the other half is for evaluating.
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


# %% Its answers as columns, and votes of a function as a column: 1 inside, -1 outside, 0 abstained.
def vote(texts: pd.Series) -> pd.DataFrame:
    slang = texts.str.contains(r"\b(?:lol|omg|tbh|imo|ngl|bruh|lowkey|meh|smh)\b", case=False)
    return pd.DataFrame({"slang": slang.map({True: 1, False: -1})})


answers, new_answers = (md.predict_columns(model, frame["text"], name="tfidf") for frame in (held_out, posts))
votes, new_votes = (md.slices_from_votes(vote(frame["text"])) for frame in (held_out, posts))
labelled = held_out.join(answers.frame).join(votes.frame)
source = md.Sample(labelled, label="label", models=[answers.model], name="reviews")
target = md.Sample(posts.join(new_answers.frame).join(new_votes.frame), name="posts")

# %% Slices, and the estimate; in a notebook `report` alone shows as a table, and so do the other two.
slices = [
    md.Length("short", column="text", unit="words", below=30),
    md.Keyword("negation", column="text", words=("not", "never", "no", "nothing", "don't")),
    md.Confidence("sure", above=0.75),
    *votes.slices,
]
report = md.estimate(source, target, slices)
print(report)
table = md.slice_table(md.prepare(source, target, slices, model=answers.model))
comparison = md.compare(source, target, slices, estimators=["source", "mandoline", "cot"])

# %% The weights are a sample_weight: for any metric of scikit-learn, and for fitting to the new data.
weighted = accuracy_score(labelled["label"], labelled["pred_tfidf"], sample_weight=report.weights)
print(f"weighted accuracy_score: {weighted:.4f}; estimate: {report.estimate:.4f}")

# %% The truth, which only a sample has.
truth = pd.read_csv(here / "target_labels.csv")["label"]
print(f"truth: {accuracy_score(truth, new_answers.frame['pred_tfidf']):.4f}")

"""Small valid files, from which inputs are made by damaging them."""

from __future__ import annotations

import gzip
import io
from functools import cache

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

SOURCE = (
    "y,p,q,a,b,text,other,n,x,flag,when,country\n"
    "1,1,0,0.2,0.8,it is not good,good,1,0.5,true,2024-01-01,NA\n"
    '0,1,0,0.4,0.6,"never, ever","ever ""so""",2,-1.5,false,2024-01-02,FR\n'
    "1,0,1,0.7,0.3,été à Ölmütz,straße,3,1e5,,2024-02-03,DE\n"
    "0,0,0,0.9,0.1,aaaaaaaaaaaaaaaaaaaa!,,4,,true,,FR\n"
    "1,1,1,0.3,0.7,so so,it is,5,2.25,false,2024-05-05,DE\n"
    "0,0,1,0.6,0.4,not again,again not,9007199254740993,0,true,2023-12-31,\n"
)
TARGET = (
    "p,q,a,b,text,other,n,x,flag,when,country\n"
    "1,0,0.1,0.9,it is bad,bad,2,0.5,false,2024-06-01,NA\n"
    "0,1,0.8,0.2,not a word,word,9,-3,true,2024-06-02,DE\n"
    "1,1,0.5,0.5,,,4,1e300,,,FR\n"
    "0,0,0.6,0.4,étés,fine,3,,false,2024-07-01,IT\n"
)
LABELS = "y\n1\n0\n0\n1\n"
HEAD = """\
version = 1
name = "small"
[source]
path = "source.csv"
[target]
path = "target.csv"
labels = "labels.csv"
[task]
label = "y"
[[models]]
name = "m"
prediction = "p"
probabilities = { 0 = "a", 1 = "b" }
"""
SLICES = """\
[[slices]]
name = "big"
kind = "threshold"
column = "n"
above = 2
"""
WHOLE = f"""\
note = "a note"
edges = [["big", "negation"]]
{HEAD}
[[models]]
name = "other"
prediction = "q"
[metric]
name = "accuracy"
{SLICES}
[[slices]]
name = "negation"
kind = "keyword"
column = "text"
words = ["not", "never"]
case = true
whole_words = false
gold = "flag"
[slices.noise.source]
inside = 0.95
outside = 0.02
[slices.noise.target]
same = true
[[slices]]
name = "medium"
kind = "range"
column = "x"
low = -1
high = 1.5
without_high = true
[[slices]]
name = "nordic"
kind = "category"
column = "country"
values = ["FR", "DE"]
[[slices]]
name = "short"
kind = "length"
column = "text"
unit = "characters"
below = 9
[[slices]]
name = "both"
kind = "all"
of = ["big", "short"]
enabled = false
[[slices]]
name = "pattern"
kind = "regex"
column = "text"
pattern = "(?i)n[eo]"
[[slices]]
name = "written"
kind = "expression"
text = 'contains(text, "not") and words(text) < 30 or country in ("FR", "DE")'
[[slices]]
name = "unsure"
kind = "entropy"
low = 0.1
high = 0.6
model = "m"
[[slices]]
name = "yes"
kind = "flag"
column = "flag"
[estimator]
name = "mandoline"
split = "none"
overlap = "trim"
ridge = 0.01
confidence = 0.9
seed = 1
interval = "influence"
replicates = 40
[methods]
max_rows = 500
[trust]
harmless = ["when"]
"""
OTHERS = (
    '[[slices]]\nname = "apart"\nkind = "overlap"\ncolumns = ["text", "other"]\nabove = 0.4\n',
    '[[slices]]\nname = "gone"\nkind = "missing"\ncolumn = "x"\n',
    '[[slices]]\nname = "says"\nkind = "prediction"\nvalue = "1"\nmodel = "m"\n',
    '[[slices]]\nname = "sure"\nkind = "confidence"\nat_least = 0.7\n',
    '[[slices]]\nname = "country"\nkind = "category"\ncolumn = "country"\n',
    '[[slices]]\nname = "buckets"\nkind = "entropy"\nbuckets = 3\n',
    '[metric]\nname = "f1"\npositive = "1"\n' + SLICES,
    '[metric]\nname = "log_loss"\n' + SLICES,
    '[metric]\nname = "rmse"\n' + SLICES,
    '[metric]\nname = "auroc"\npositive = 1\n' + SLICES,
    '[metric]\nname = "mean"\ncolumn = "n"\n' + SLICES,
    '[metric]\nname = "accuracy"\nmerge = { no = ["0", "1"] }\n' + SLICES,
    '[estimator]\ninterval = "bootstrap"\nreplicates = 40\n' + SLICES,
    '[estimator]\nsplit = "crossfit"\nseed = 3\n' + SLICES,
)


def project(*parts: str, source: str = "source.csv", target: str = "target.csv", engine: str = "") -> str:
    """Write a project file of a head and other parts, on files of other names."""
    said = f'\nengine = "{engine}"' if engine else ""
    head = HEAD.replace('"source.csv"', f'"{source}"{said}').replace('"target.csv"', f'"{target}"{said}')
    return head + "".join(parts or (SLICES,))


def csv_files() -> dict[str, bytes]:
    """Return the tables as CSV, by name."""
    return {"source.csv": SOURCE.encode(), "target.csv": TARGET.encode(), "labels.csv": LABELS.encode()}


@cache
def tables() -> tuple[pa.Table, pa.Table]:
    """Return source and target with a column of every kind that Parquet files commonly hold."""
    found = []
    for text in (SOURCE, TARGET):
        frame = pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""])
        frame["when"] = pd.to_datetime(frame["when"]).dt.tz_localize("Europe/Paris")
        frame["country"] = frame["country"].astype("category")
        frame["flag"] = frame["flag"].astype("boolean")
        table = pa.Table.from_pandas(frame, preserve_index=False)
        lists = pa.array([[number] for number in range(len(table))])
        found.append(table.append_column("list", lists).append_column("raw", pa.array([b"\xff"] * len(table))))
    return found[0], found[1]


@cache
def parquet(side: int, compression: str, *, pages: bool) -> bytes:
    """Write a table as Parquet, packed in some way."""
    file = io.BytesIO()
    pq.write_table(
        tables()[side],
        file,
        compression=compression,
        data_page_version="2.0" if pages else "1.0",
        row_group_size=3 if pages else 100,
        use_dictionary=not pages,
    )
    return file.getvalue()


def packed(content: bytes) -> bytes:
    """Pack as gzip, without the time, which would make it another file at every run."""
    return gzip.compress(content, mtime=0)

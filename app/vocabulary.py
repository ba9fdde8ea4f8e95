"""The app's words for the two samples: labelled data and new data."""

from __future__ import annotations

from mandoline_core.formatting import Vocabulary

PLAIN: Vocabulary = {
    "source": "labelled data",
    "target": "new data",
    "a_target": "new data",
    "source_row": "labelled row",
    "source_rows": "labelled rows",
    "target_row": "new row",
    "target_rows": "new rows",
}

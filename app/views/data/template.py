"""What a person's files must hold, in words and as files to start from."""

from __future__ import annotations

import streamlit as st

_NEEDED = """
- **Labelled data**: one row an example, with the true answer (`label`), the model's answer (`prediction`), and what
  describes the row: a text, numbers, where it came from. The model's probabilities help, one column a class.
- **New data**: the same columns without `label`: run the model on them, too.
"""
_LABELLED = """text,channel,label,prediction,prob_no,prob_yes
"the order came late",web,no,no,0.9,0.1
"all fine, thank you",mail,yes,yes,0.2,0.8
"not what I hoped for",web,no,yes,0.4,0.6
"""
_NEW = """text,channel,prediction,prob_no,prob_yes
"never again",app,no,0.7,0.3
"works as it should",web,yes,0.1,0.9
"so so",app,yes,0.5,0.5
"""


def needed() -> None:
    """Say which columns are needed, with a template of three rows for each file."""
    st.markdown(_NEEDED)
    with st.container(horizontal=True):
        for label, name, text in (("labelled data", "labelled", _LABELLED), ("new data", "new", _NEW)):
            st.download_button(
                f"Template for the {label}",
                text,
                file_name=f"{name}-template.csv",
                mime="text/csv",
                key=f"template:{name}",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
            )

"""A messy German export, for tests: decimal commas, codes between numbers, days before months."""

from __future__ import annotations

import numpy as np
import pandas as pd


def german_export(n: int = 1200) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make labelled and new rows, all text: young customers are predicted badly, and the new rows have more of them."""
    return _rows(n, 1, 0.0), _rows(n // 2, 2, 0.5).drop(columns="Ergebnis")


def _rows(n: int, seed: int, shift: float) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = np.clip(rng.integers(18, 90, n) - (rng.random(n) < shift) * rng.integers(0, 40, n), 18, None)
    right = rng.random(n) < np.where(age < 30, 0.6, 0.9)
    label = rng.random(n) < 0.4
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    amounts = np.round(np.exp(rng.normal(4.5 + shift, 1, n)), 2)
    return pd.DataFrame(
        {
            "Alter": np.where(rng.random(n) < 0.02, "k.A.", age.astype(str)),
            "Betrag (EUR)": [f"{amount:,.2f}".translate(str.maketrans(",.", ".,")) for amount in amounts],
            "Datum": np.where(rng.random(n) < 0.01, "unbekannt", days.strftime("%d.%m.%Y")),
            "Ort": rng.choice(["Köln", "Ulm", "Mainz"], n),
            "Score": [f"{score:.4f}".replace(".", ",") for score in rng.random(n)],
            "Vorhersage": np.where(label == right, "ja", "nein"),
            "Ergebnis": np.where(label, "ja", "nein"),
        }
    )

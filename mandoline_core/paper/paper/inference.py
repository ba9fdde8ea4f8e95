"""SNLI to MNLI and SNLI+ to HANS- in the paper: Tables 3 and 4, and the appendix's tables of every model."""

from __future__ import annotations

from typing import Any

AVERAGE, LARGEST, TAU = "average error, points", "largest error, points", "Kendall's tau"
RIGHT, ESTIMATE = "models adjusted the right way, %", "accuracy, %"
STANDARD, BINARY = "standard", "binary"

# Method, what it looks at, average and its 95% interval, largest; standard accuracy, then binary.
_ERRORS = (
    ("source", (6.2, 3.8, 15.6), (3.0, 2.3, 9.3), "Table 3"),
    ("cbiw_features", (5.5, 4.5, 17.9), (3.7, 2.5, 9.8), "Table 3"),
    ("kmm_features", (5.7, 3.6, 14.6), (3.3, 2.3, 8.7), "Table 3"),
    ("ulsif_features", (6.4, 3.9, 16.0), (3.7, 2.4, 9.1), "Table 3"),
    ("mandoline", (3.6, 1.6, 5.9), (1.6, 0.7, 2.7), "Table 3"),
    ("simple", (3.5, 1.6, 5.9), (1.6, 0.7, 2.7), "appendix"),
    ("cbiw_slices", (6.3, 3.8, 15.7), (3.1, 2.4, 9.7), "appendix"),
    ("kmm_slices", (3.5, 1.6, 5.9), (1.6, 0.7, 2.7), "appendix"),
    ("ulsif_slices", (6.4, 4.8, 18.9), (3.1, 3.4, 11.6), "appendix"),
)
_COLUMNS = ("source", "truth", "mandoline", "cbiw_features", "kmm_features", "cbiw_finetuned", "ulsif_features")
_MODELS = {
    "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli": (
        (91.09, 89.88, 88.70, 92.12, 91.01, 90.49, 90.98), (93.89, 93.58, 92.32, 93.80, 93.67, 94.05, 93.45),
    ),
    "textattack/bert-base-uncased-snli": (
        (89.51, 73.88, 79.94, 91.76, 88.45, 88.70, 89.93), (93.10, 83.78, 86.37, 93.62, 92.46, 93.28, 92.84),
    ),
    "facebook/bart-large-mnli": (
        (87.48, 90.18, 87.28, 89.30, 87.89, 86.71, 87.43), (92.32, 94.05, 92.15, 90.88, 92.22, 91.80, 91.63),
    ),
    "textattack/bert-base-uncased-MNLI": (
        (78.58, 84.58, 79.58, 82.32, 79.03, 77.75, 77.87), (87.75, 90.77, 88.30, 88.01, 87.09, 87.28, 86.36),
    ),
    "huggingface/distilbert-base-uncased-finetuned-mnli": (
        (74.76, 82.25, 77.57, 75.91, 76.47, 75.19, 74.22), (86.81, 89.52, 88.00, 84.57, 86.85, 87.36, 85.11),
    ),
    "prajjwal1/albert-base-v1-mnli": (
        (72.33, 80.12, 76.81, 73.78, 72.34, 73.07, 72.00), (84.64, 88.22, 87.53, 83.13, 83.12, 85.11, 82.79),
    ),
    "cross-encoder/nli-deberta-base": (
        (90.67, 88.24, 89.21, 92.55, 90.36, 89.64, 90.89), (93.72, 92.92, 92.72, 93.76, 93.74, 93.74, 93.45),
    ),
    "squeezebert/squeezebert-mnli": (
        (76.18, 82.92, 77.77, 79.37, 76.59, 75.35, 76.68), (87.24, 89.75, 88.30, 86.63, 86.48, 86.70, 86.37),
    ),
}  # fmt: skip
STAGES = ("lexical overlap", "+ noisy non-entailment", "+ sentence structure", "+ model entropy", "+ classifier slice")
_ABLATION = (16.9, 11.8, 6.9, 5.9, 0.6)


def _row(measure: str, metric: str, model: str, method: str, value: float, place: str) -> dict[str, Any]:
    return {
        "measure": measure, "metric": metric, "model": model,
        "method": method, "value": value, "error": None, "place": place,
    }  # fmt: skip


SHIFT = (
    *(
        _row(measure, metric, "all", method, value, place)
        for method, standard, binary, where in _ERRORS
        for metric, (average, interval, largest) in ((STANDARD, standard), (BINARY, binary))
        for measure, value, place in (
            (AVERAGE, average, f"{where}, plus or minus {interval} (95%, over models)"),
            (LARGEST, largest, where),
        )
    ),
    _row(TAU, STANDARD, "all", "mandoline", 0.786, "section 5.3"),
    _row(RIGHT, STANDARD, "all", "mandoline", 87.5, "section 5.3, 7 of 8 models"),
    *(
        _row(ESTIMATE, metric, model, method, value, "appendix, by model")
        for model, tables in _MODELS.items()
        for metric, values in zip((STANDARD, BINARY), tables, strict=True)
        for method, value in zip(_COLUMNS, values, strict=True)
    ),
)
ABLATION = (
    *(
        {"measure": AVERAGE, "slices": slices, "method": "mandoline", "value": value, "error": None, "place": "Table 4"}
        for slices, value in zip(STAGES, _ABLATION, strict=True)
    ),
    {
        "measure": AVERAGE, "slices": "none", "method": "cbiw_finetuned",
        "value": 1.2, "error": None, "place": "section 6.1",
    },
)  # fmt: skip

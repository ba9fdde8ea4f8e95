"""The published files of the paper's data sets: a file for each family of formats, one sentence for what is wrong."""

from __future__ import annotations

from mandoline_core.paper.published.celeba import read_celeba
from mandoline_core.paper.published.comments import IDENTITIES, read_civil_comments
from mandoline_core.paper.published.files import first_of, thinned
from mandoline_core.paper.published.inference import is_prepared, read_hans, read_prepared, read_relations
from mandoline_core.paper.published.predictions import with_predictions
from mandoline_core.paper.published.reviews import (
    read_counterfactual,
    read_film_reviews,
    read_posts,
    read_star_reviews,
)

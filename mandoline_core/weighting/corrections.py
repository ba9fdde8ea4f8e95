"""Turn the corrections people state into numbers for each code, with their dependence on the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mandoline_core.arrays import Floats
from mandoline_core.slices import Correction, Noise

OUT, ABSTAIN, IN = 0, 1, 2  # columns of a correction table: codes -1, 0, 1
_STEP = 1e-6  # for derivatives by central differences of smooth rational functions


@dataclass(frozen=True, eq=False)
class Corrections:
    """Hold p(truly in | code) for every slice and both samples.

    Parameters
    ----------
    source, target : array of float, shape (n_slices, 3)
        p(g = 1 | code) for the codes -1, 0, 1.
    target_rate : array of float, shape (n_slices,)
        The target's corrected slice rate as solved for, before it was kept inside [0, 1];
        NaN where it was not derived.
    underivable : array of bool, shape (n_slices,)
        Derivation was asked for but the source cannot tell the error rates; the same matrix is used.
    """

    source: Floats
    target: Floats
    target_rate: Floats
    underivable: NDArray[np.bool_]

    @property
    def takes_codes_at_their_word(self) -> bool:
        """Tell whether every slice that speaks is believed, in both samples."""
        word = np.array([0.0, 1.0])
        return all((table[:, [OUT, IN]] == word).all() for table in (self.source, self.target))


@dataclass(frozen=True, eq=False)
class CorrectionRule:
    """Say how corrections follow from the shares of each code in the two samples.

    Built by `correction_rule` or `fixed_rule`; calling `at` with rates gives numbers.
    NaN in an abstain column means "the rate among rows where the slice does not abstain".

    Parameters
    ----------
    source, own_target : array of float, shape (n_slices, 3)
        What was stated for the codes -1, 0, 1.
    derive : array of bool, shape (n_slices,)
        The target's corrections are derived from the source's, if possible.
    follows : array of bool, shape (n_slices,)
        Nothing was stated for the target alone: its own corrections are the source's.
    """

    source: Floats
    own_target: Floats
    derive: NDArray[np.bool_]
    follows: NDArray[np.bool_]

    def at(self, source_rates: Floats, target_rates: Floats) -> Corrections:
        """Compute the corrections for the given shares of the codes -1, 0, 1.

        Parameters
        ----------
        source_rates, target_rates : array of float, shape (n_slices, 3)

        Examples
        --------
        A slice that is right 90% of the time in the source, fires for 50% of the source and
        82% of the target. Its error rates are 10% both ways, so 90% of the target is truly in.

        >>> rule = correction_rule([Noise(Correction(inside=0.9, outside=0.1))])
        >>> found = rule.at(np.array([[0.5, 0.0, 0.5]]), np.array([[0.18, 0.0, 0.82]]))
        >>> found.target_rate.round(6).tolist()
        [0.9]
        >>> found.target.round(3).tolist()
        [[0.5, 0.9, 0.988]]
        """
        source = _fill_abstain(self.source, source_rates)
        derived, rate, possible = _derive(self.source, source, source_rates, target_rates)
        use = self.derive & possible
        target = np.where(use[:, None], derived, _fill_abstain(self.own_target, target_rates))
        return Corrections(
            source=source,
            target=target,
            target_rate=np.where(use, rate, np.nan),
            underivable=self.derive & ~possible,
        )

    def slopes(self, source_rates: Floats, target_rates: Floats) -> tuple[Floats, Floats, Floats]:
        """Differentiate the corrections with respect to the rates.

        Returns
        -------
        source_by_source, target_by_source, target_by_target : array, shape (n_slices, 3, 3)
            Derivative of correction [slice, code] by rate [slice, code'].
        """
        (by_source, across, _), (_, by_target, _) = self._slopes(source_rates, target_rates, "source", "target")
        return by_source, across, by_target

    def rate_errors(self, source_rates: Floats, target_rates: Floats, n_source: float, n_target: float) -> Floats:
        """Compute the standard error of each derived rate of the target, shape (n_slices,).

        A share of 0 or 1 has sampling error, too: each code is taken to have been seen one time more than it was.
        """
        variance = np.zeros(len(self.source))
        by_side = self._slopes(source_rates, target_rates, "source", "target")
        for (_, _, slopes), rates, n in zip(by_side, (source_rates, target_rates), (n_source, n_target), strict=True):
            share = (rates * n + 1) / (n + 3)
            variance += ((share * slopes**2).sum(axis=1) - (share * slopes).sum(axis=1) ** 2) / n
        return np.sqrt(variance)

    def stated_slopes(self, source_rates: Floats, target_rates: Floats) -> tuple[Floats, Floats]:
        """Differentiate the corrections with respect to what was stated for the source.

        Returns
        -------
        source_by_stated, target_by_stated : array, shape (n_slices, 3, 3)
            Derivative of correction [slice, code] by the number stated for [slice, code']; 0 where none was.
        """
        ((source, target, _),) = self._slopes(source_rates, target_rates, "stated")
        return source, target

    def own_slopes(self, source_rates: Floats, target_rates: Floats) -> Floats:
        """Differentiate the target's corrections with respect to what was stated for it alone, as `stated_slopes`."""
        ((_, target, _),) = self._slopes(source_rates, target_rates, "own")
        return target

    def _slopes(self, source_rates: Floats, target_rates: Floats, *moved: str) -> list[tuple[Floats, Floats, Floats]]:
        """Differentiate the corrections by a number for each code: all codes and slices, up and down, in one call.

        Parameters
        ----------
        moved : {"source", "target", "stated", "own"}
            The source's rates, the target's rates, or what was stated for the source or for the target alone.

        Returns
        -------
        list of (source, target, target_rate)
            For each that is moved: shapes (n_slices, 3, 3) twice, and (n_slices, 3).
        """
        n, times = len(self.source), 6 * len(moved)
        step = np.repeat(_STEP * np.concatenate([np.eye(3), -np.eye(3)]), n, axis=0)
        steps = {
            what: np.concatenate([step * (what == name) for name in moved])
            for what in ("source", "target", "stated", "own")
        }
        rule = self.select([*range(n)] * times)
        if "stated" in moved:
            rule = rule.with_source(rule.source + steps["stated"])
        if "own" in moved:
            rule = replace(rule, own_target=rule.own_target + steps["own"])
        moved_rule = rule.at(
            np.tile(source_rates, (times, 1)) + steps["source"], np.tile(target_rates, (times, 1)) + steps["target"]
        )
        by_output = []
        for values in (moved_rule.source, moved_rule.target, moved_rule.target_rate):
            up, down = np.moveaxis(values.reshape(len(moved), 2, 3, n, *values.shape[1:]), 1, 0)
            by_output.append(np.moveaxis((up - down) / (2 * _STEP), 1, -1))
        return list(zip(*by_output, strict=True))

    def with_source(self, source: Floats) -> CorrectionRule:
        """State other corrections for the source, shape (n_slices, 3); the target's follow where nothing else is said.

        Examples
        --------
        >>> rule = correction_rule([Noise(Correction(0.9, 0.1), same=True)])
        >>> rule.with_source(np.array([[0.2, np.nan, 0.8]])).own_target.tolist()
        [[0.2, nan, 0.8]]
        """
        own = np.where(self.follows[:, None], source, self.own_target)
        return replace(self, source=source, own_target=own)

    def select(self, slices: Sequence[int]) -> CorrectionRule:
        """Keep the rules of some slices."""
        index = list(slices)
        return CorrectionRule(self.source[index], self.own_target[index], self.derive[index], self.follows[index])


def correction_rule(noises: Sequence[Noise | None]) -> CorrectionRule:
    """Collect the corrections of several slices; None is identity."""
    stated = [noise or Noise() for noise in noises]
    source = np.array([_row(noise.source) for noise in stated]).reshape(-1, 3)
    own = np.array([_row(noise.target or noise.source) for noise in stated]).reshape(-1, 3)
    follows = np.array([noise.target is None for noise in stated], dtype=bool)
    same = np.array([noise.same for noise in stated], dtype=bool)
    return CorrectionRule(source, own, follows & ~same, follows)


def fixed_rule(source: Floats, target: Floats) -> CorrectionRule:
    """Take both correction tables as they are, whatever the data."""
    never = np.zeros(len(source), dtype=bool)
    return CorrectionRule(np.asarray(source, float), np.asarray(target, float), never, never)


def _row(correction: Correction | None) -> list[float]:
    correction = correction or Correction()
    abstain = np.nan if correction.abstain is None else correction.abstain
    return [correction.outside, abstain, correction.inside]


def _fill_abstain(table: Floats, rates: Floats) -> Floats:
    """Fill an unstated abstain column with the corrected rate among the rows where the slice speaks."""
    speaks = rates[:, OUT] + rates[:, IN]
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = (rates[:, OUT] * table[:, OUT] + rates[:, IN] * table[:, IN]) / speaks
    rate = np.where(speaks > 0, rate, 0.5)  # a slice that never speaks: reported as constant elsewhere
    filled = table.copy()
    filled[:, ABSTAIN] = np.where(np.isnan(table[:, ABSTAIN]), rate, table[:, ABSTAIN])
    return filled


def _derive(
    stated: Floats, source: Floats, source_rates: Floats, target_rates: Floats
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Derive the target's corrections from error rates p(code | truth) that are stable across samples.

    Where abstention says nothing (no abstain correction stated), only rows where the slice speaks
    inform the error rates; otherwise abstention is a third answer with its own error rates.

    Returns
    -------
    corrections : array, shape (n_slices, 3)
    rate : array, shape (n_slices,)
        Solved p_t(g = 1), as it comes out.
    possible : array of bool, shape (n_slices,)
    """
    says_nothing = np.isnan(stated[:, ABSTAIN])
    use = np.ones_like(stated)
    use[:, ABSTAIN] = ~says_nothing
    with np.errstate(invalid="ignore", divide="ignore"):
        p_source = source_rates * use / (source_rates * use).sum(axis=1, keepdims=True)
        p_target = target_rates * use / (target_rates * use).sum(axis=1, keepdims=True)
        rate_source = (p_source * source).sum(axis=1)
        given_in = p_source * source / rate_source[:, None]
        given_out = p_source * (1 - source) / (1 - rate_source)[:, None]
        gap = given_in - given_out
        # p_t(t) = given_out + rate (given_in - given_out): two or three equations for one rate, by least squares.
        rate = (gap * (p_target - given_out)).sum(axis=1) / (gap**2).sum(axis=1)
        kept = np.clip(rate, 0.0, 1.0)[:, None]
        truly_in = given_in * kept
        derived = truly_in / (truly_in + given_out * (1 - kept))
    # A gap of rounding errors only is none: the source's answers do not depend on the truth.
    possible = np.isfinite(rate) & (np.abs(gap).max(axis=1) > 1e-9)
    # Codes that the source never showed have no error rate: abstention then says nothing,
    # and a code on one side keeps the source's correction.
    fallback = source.copy()
    fallback[:, ABSTAIN] = np.where(possible, kept[:, 0], source[:, ABSTAIN])
    derived = np.where(np.isfinite(derived) & (use > 0), derived, fallback)
    # A slice without corrections in the source has no errors to carry over.
    exact = (stated[:, IN] == 1) & (stated[:, OUT] == 0) & says_nothing
    derived[exact, IN], derived[exact, OUT] = 1.0, 0.0
    word = _fill_abstain(np.array([0.0, np.nan, 1.0]) * np.ones_like(stated), target_rates)[:, ABSTAIN]
    derived[exact, ABSTAIN] = word[exact]
    return derived, np.where(exact, word, rate), possible | exact

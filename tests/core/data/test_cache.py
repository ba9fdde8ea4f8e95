"""One cache: bounded in bytes, each value made once, folders freed."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import mandoline_core as md
from mandoline_core.data import SAMPLE_CACHE, Cache, Sample, TemporaryFolder, cache, memory_budget, n_bytes


def test_values_take_no_more_bytes_than_there_is_room_for() -> None:
    gone: list[str] = []
    cache: Cache[str] = Cache(10, size=len, drop=gone.append)
    for text in ("aaaa", "bbbb", "cc"):
        cache.put(text[0], text)
    assert cache.get("a") == "aaaa"
    cache.put("d", "ddd")
    assert (gone, cache.get("b"), sorted(cache.values()), cache.total_bytes) == (
        ["bbbb"],
        None,
        ["aaaa", "cc", "ddd"],
        9,
    )
    cache.put("a", "a")
    assert gone == ["bbbb", "aaaa"]
    assert cache.pop("a") == "a"
    assert cache.pop("a") is None
    cache.clear()
    assert (len(cache), cache.total_bytes, gone[2:]) == (0, 0, ["a", "cc", "ddd"])


@pytest.mark.parametrize("version", [1, 2])
def test_a_container_has_as_much_memory_as_it_was_granted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    """Not as much as the machine: what goes beyond ends the server."""
    whole = memory_budget(1.0)
    own, groups = tmp_path / "own", tmp_path / "groups"
    monkeypatch.setattr(cache, "_OWN_GROUPS", own)
    monkeypatch.setattr(cache, "_CGROUPS", groups)
    assert memory_budget(1.0) >= whole
    own.write_text({1: "5:cpu:/a\n4:memory:/docker/x\n", 2: "0::/system/app\n"}[version])
    place = groups / {1: "memory/docker/x/memory.limit_in_bytes", 2: "system/app/memory.max"}[version]
    place.parent.mkdir(parents=True)
    place.write_text("1000000\n")
    assert memory_budget(0.5) == 500_000
    place.write_text("max\n")
    assert memory_budget(1.0) >= whole


def test_the_newest_value_stays_however_large() -> None:
    cache: Cache[np.ndarray] = Cache(1000)
    cache.put("small", np.zeros(1))
    cache.put("large", np.zeros(1000))
    assert cache.keys() == ["large"]


def test_long_keys_count() -> None:
    cache: Cache[int] = Cache(10_000)
    for letter in "abcdefghij":
        cache.put(letter * 5_000, 1)
    assert len(cache) == 1


def test_a_value_is_made_once_however_many_threads_ask() -> None:
    """Also nothing at all is a value."""
    cache: Cache[None] = Cache(100_000)
    calls: list[str] = []
    start = threading.Barrier(8)

    def ask(number: int) -> None:
        start.wait(30)
        key = "ab"[number % 2]
        cache(key, lambda: (threading.Event().wait(0.05), calls.append(key))[1])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))
    assert sorted(calls) == ["a", "b"]


def test_a_lock_is_not_dropped_while_others_wait() -> None:
    """The first fails, the second makes the value while the third asks anew: two at a time would be one too many."""
    cache: Cache[int] = Cache(100_000)
    at_work: list[int] = []
    most_at_work: list[int] = []
    waiting, second_started = threading.Event(), threading.Event()

    def fail() -> int:
        waiting.wait(30)
        threading.Event().wait(0.05)  # until the second waits for the lock
        raise LookupError

    def make() -> int:
        second_started.set()
        at_work.append(1)
        most_at_work.append(len(at_work))
        threading.Event().wait(0.1)
        at_work.pop()
        return 1

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(cache, "key", fail)
        second = pool.submit(cache, "key", make)
        waiting.set()
        with pytest.raises(LookupError):
            first.result(30)
        second_started.wait(30)
        third = pool.submit(cache, "key", make)
        assert (second.result(30), third.result(30)) == (1, 1)
    assert most_at_work == [1]
    assert not cache._making


def test_different_keys_do_not_wait_for_each_other() -> None:
    cache: Cache[int] = Cache(100_000)
    go = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(cache, "slow", lambda: int(go.wait(30)))
        assert cache("quick", lambda: 2) == 2
        go.set()
        assert slow.result(30) == 1


def test_what_was_computed_of_samples_is_forgotten_with_the_first_of_them() -> None:
    cache: Cache[int] = Cache(100_000)
    one, other = (Sample(pd.DataFrame({"a": [1, 2]})) for _ in range(2))
    assert [cache.of((one, other), "rows", lambda n=n: n) for n in (1, 2)] == [1, 1]
    assert cache.of((other, one), "rows", lambda: 3) == 3
    assert cache.of((one,), "rows", lambda: 4) == 4
    del other
    gc.collect()
    assert cache.values() == [4]


@pytest.mark.parametrize(
    "rule", [md.Threshold("large", column="x", above=0), md.Classifier("new")], ids=["cut", "learnt"]
)
def test_nothing_that_is_computed_of_samples_keeps_them_alive(rule: md.Slice) -> None:
    """A slice that learns from both samples is part of keys, and must not hold them there."""
    rng = np.random.default_rng(0)
    rows = [pd.DataFrame({"x": rng.normal(shift, 1, 200), "y": np.arange(200) % 2}) for shift in (0.0, 0.5)]
    samples = [md.Sample(frame.assign(p=frame["y"]), label="y", prediction="p") for frame in rows]
    md.estimate(*samples, [rule])
    alive = [weakref.ref(sample) for sample in samples]
    samples.clear()
    gc.collect()
    assert [sample() for sample in alive] == [None, None]


def test_a_sample_may_die_while_its_cache_is_at_work() -> None:
    """The collector runs when it likes, also in the middle of a change to the cache."""
    cache: Cache[int] = Cache(100_000)
    sample: Sample | None = Sample(pd.DataFrame({"a": [1, 2]}))
    cache.of((sample,), "rows", lambda: 1)
    with cache._locked():
        sample = None
        gc.collect()
    assert len(cache) == 0


def test_caches_of_samples_share_one_budget() -> None:
    assert SAMPLE_CACHE.max_bytes == memory_budget()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_series_are_weighed_in_every_engine(backend: str) -> None:
    series = nw.new_series("a", list(range(10_000)), nw.Int64(), backend=backend)
    assert 80_000 <= n_bytes((series,)) < 100_000
    assert 80_000 <= n_bytes((series.to_frame(),)) < 100_000


def test_arrays_are_weighed_once_and_samples_are_not() -> None:
    array, table = np.zeros(10_000), pa.table({"a": np.zeros(10_000)})
    assert 80_000 <= n_bytes((array, array[::2], {"again": array})) < 90_000
    assert 80_000 <= n_bytes([table]) < 90_000
    assert n_bytes(Sample(table)) < 1_000


def test_a_folder_goes_when_the_cache_and_everyone_else_let_go_of_it() -> None:
    cache: Cache[TemporaryFolder] = Cache(10, size=lambda folder: folder.n_bytes)
    used, unused = TemporaryFolder(), TemporaryFolder()
    (used.path / "rows").write_bytes(b"12345678")
    (unused.path / "rows").write_bytes(b"12345678")
    cache.put("used", used)
    cache.put("unused", unused)
    assert cache.keys() == ["unused"]
    assert used.path.exists()
    gone, unused = unused.path, used
    cache.clear()
    assert not gone.exists()
    assert unused.path.exists()

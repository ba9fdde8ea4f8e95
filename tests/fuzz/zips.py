"""Project zips: well-formed ones with entries that mean harm, and damaged ones."""

from __future__ import annotations

import io
import random
import zipfile

from tests.fuzz.mutating import damage_bytes, odd_text

_NAMES = (
    *(
        "../out.csv",
        "/etc/passwd",
        "C:\\x.csv",
        "..\\x.csv",
        "a/../../x",
        "CON",
        "x\0y.csv",
        "SOURCE.CSV",
        "source.csv",
    ),
    *(
        "a/",
        "second.toml",
        "a/b/c/d/e.csv",
        "a" * 300 + ".csv",
        "a/" * 200 + "x.csv",
        ".",
        "..",
        "",
        " ",
        "project.toml/x",
    ),
)
_LINK = 0o120777 << 16


def make_zip(files: dict[str, bytes], rng: random.Random) -> bytes:
    """Pack files, with more or fewer entries than there should be, and damage some of the zips."""
    files = dict(files)
    how, packed = rng.random(), io.BytesIO()
    if how < 0.15:
        del files[rng.choice(sorted(files))]
    method = rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
        if 0.15 <= how < 0.55:
            for _ in range(rng.choice((1, 1, 2, 60))):
                entry = zipfile.ZipInfo((rng.choice((*_NAMES, odd_text(rng))) or "x")[:30_000])
                entry.external_attr = _LINK if rng.random() < 0.15 else 0o644 << 16
                _write(archive, entry, rng)
        if rng.random() < 0.1:
            archive.comment = rng.randbytes(rng.choice((1, 60_000)))
    content = packed.getvalue()
    if how >= 0.5:
        content = damage_bytes(content, rng)
    elif rng.random() < 0.2:
        content = _flagged(content, rng)
    return content


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, rng: random.Random) -> None:
    if entry.filename in archive.namelist():
        entry.filename += "2" if rng.random() < 0.5 else ""
    if entry.filename not in archive.namelist():  # twice the same name is a warning of the library that writes it
        archive.writestr(entry, rng.choice((b"", b"y\n1\n", bytes(100_000))))


def _flagged(content: bytes, rng: random.Random) -> bytes:
    """Say that entries are encrypted, or of a size or packing that they are not."""
    found = bytearray(content)
    place = found.rfind(b"PK\x01\x02")
    offset, size = rng.choice(((8, 2), (10, 2), (20, 4), (24, 4), (28, 2), (42, 4)))
    found[place + offset : place + offset + size] = rng.choice((b"\x01", b"\xff", b"\x63")) * size
    return bytes(found)

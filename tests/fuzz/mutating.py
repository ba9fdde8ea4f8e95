"""Damage: bytes, lines and words changed, removed, doubled, swapped or replaced by what programs trip over."""

from __future__ import annotations

import random
import re

ODD_NUMBERS = (
    *("0", "-0", "1", "-1", "2", "nan", "-nan", "inf", "-inf", "1e308", "-1e308", "1e309", "5e-324", "1e-400", "1e200"),
    *("9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616"),
    *("1" + "0" * 400, "9" * 4400, "0x1F", "1_000", "1,5", "1.2.3", "+", "1e", "٣", "½", "0.1", "1e5", "00", "1e-7"),
)
ODD_TEXTS = (
    *("", " ", "\t", "\0", "\ufeff", "\u202e", "\u200b", "\x1b[31m", "\x85", "\u2028", "\r", "\ud7ff", "\U0010ffff"),
    *("NA", "null", "None", "true", "FALSE", "nan", "=1+1", "@cmd", "<b>x</b>", "`x`", "$x$", "{x}", "{0.__class__}"),
    *("%s%n", "../../etc/passwd", "source.csv", "a" * 300, "a" * 70_000, "é" * 500, "İ", "ß", "e\u0301", "🙂" * 30),
    *("'", '"', '""', '"""', "'''", "\\", "\\\\", "(", ")", "[", "]]", ",", ";", "\n", "\r\n", "#", "--", "$(x)", "|"),
    *("2024-01-01", "2024-13-45", "0001-01-01T00:00:00Z", "99999-01-01", "24:00:00", "1979-05-27T07:32:00-08:00"),
)
ODD_BYTES = (
    *(b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\0", b"\0\0\0\0", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80"),
    *(
        b"\x1f\x8b",
        b"PK\x03\x04",
        b"PAR1",
        b"\xff\xff\xff\xff",
        b"\x7f\xff\xff\xff",
        b"\xf4\x90\x80\x80",
        b"\r",
        b"\x1a",
    ),
)
ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1", "utf-7", "shift_jis"),
    *("gb18030", "cp037", "koi8-r"),
)
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def damage_bytes(content: bytes, rng: random.Random) -> bytes:
    """Change, remove, double, move or add bytes in a few places."""
    found = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 5, 20))):
        if not found:
            return bytes(found)
        place, how, length = rng.randrange(len(found)), rng.randrange(8), rng.choice((1, 1, 2, 4, 8, 30, 200))
        if how == 0:
            found[place] = rng.randrange(256)
        elif how == 1:
            found[place] ^= 1 << rng.randrange(8)
        elif how == 2:
            del found[place : place + length]
        elif how == 3:
            found[place:place] = found[place : place + length]
        elif how == 4:
            found[place:place] = rng.choice(ODD_BYTES)
        elif how == 5:
            odd = rng.choice(ODD_BYTES)
            found[place : place + len(odd)] = odd
        elif how == 6:
            other = rng.randrange(len(found))
            found[place : place + length] = found[other : other + length]
        elif rng.random() < 0.2:
            del found[place:]
        else:
            found[place:place] = rng.randbytes(length)
    return bytes(found)


def odd_text(rng: random.Random) -> str:
    """Choose a word or a number that programs trip over."""
    return rng.choice(ODD_TEXTS if rng.random() < 0.6 else ODD_NUMBERS)


def damage_words(text: str, rng: random.Random) -> str:
    """Replace, remove, double or swap words and signs in a few places."""
    words = _WORD.findall(text)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        if not words:
            break
        place, other, how = rng.randrange(len(words)), rng.randrange(len(words)), rng.randrange(6)
        if how <= 1:
            words[place] = odd_text(rng)
        elif how == 2:
            del words[place]
        elif how == 3:
            words.insert(place, words[other])
        elif how == 4:
            words[place], words[other] = words[other], words[place]
        else:
            words[place] *= rng.choice((2, 3, 50))
    return "".join(words)


def damage_lines(text: str, rng: random.Random) -> str:
    """Remove, double, swap, cut or join lines."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not lines:
            break
        place, other, how = rng.randrange(len(lines)), rng.randrange(len(lines)), rng.randrange(6)
        if how == 0:
            del lines[place]
        elif how == 1:
            lines.insert(other, lines[place])
        elif how == 2:
            lines[place], lines[other] = lines[other], lines[place]
        elif how == 3:
            lines[place] = lines[place][: rng.randrange(len(lines[place]) + 1)]
        elif how == 4:
            lines[place : place + 2] = ["".join(lines[place : place + 2])]
        else:
            lines[place] = odd_text(rng)
    return "\n".join(lines)


def damage_text(text: str, rng: random.Random) -> str:
    """Damage words or lines, or both."""
    how = rng.random()
    if how < 0.55:
        return damage_words(text, rng)
    if how < 0.9:
        return damage_lines(text, rng)
    return damage_lines(damage_words(text, rng), rng)


def encoded(text: str, rng: random.Random) -> bytes:
    """Write a text as bytes: mostly as UTF-8, else in an encoding that its reader does not expect."""
    encoding = rng.choice(ENCODINGS) if rng.random() < 0.25 else "utf-8"
    return text.encode(encoding, errors="replace")

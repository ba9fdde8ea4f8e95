"""Guide: the topics of the guide by section, a search, and the chosen topic."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app.views import parts
from app.words import wording
from mandoline_core import guide
from mandoline_core.guide import Topic

FOLDER = Path(guide.__file__).parent
LINK = "guide?topic="
# A click on a link to a topic presses the topic's button: the framework would open it in another tab. Nothing of a
# person's goes into the script.
_LINKS = """<script>
if (!window.guideLinks) {
  window.guideLinks = true;
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href*="guide?topic="]');
    if (!link || event.ctrlKey || event.metaKey) return;
    const url = new URL(link.href), anchor = url.hash.slice(1);
    const button = document.querySelector(`.st-key-topic-${CSS.escape(url.searchParams.get("topic"))} button`);
    if (!button) return;
    event.preventDefault();
    button.click();
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
    let looks = 0;
    const timer = anchor && setInterval(() => {
      const place = document.getElementById(anchor);
      place?.scrollIntoView();
      if (place || ++looks > 50) clearInterval(timer);
    }, 100);
  }, true);
}
</script>"""


def main() -> None:
    """Show the page."""
    st.title("Guide")
    st.html(_LINKS, unsafe_allow_javascript=True)
    topics = guide.topics()
    names, place = st.columns([1, 3], gap="large")
    with names:
        search = st.text_input("Search", icon=":material/search:", key="guide_search", placeholder="Titles and text")
    chosen = st.query_params.get("topic") or topics[0].name
    with place, st.container(key="topic"), parts.boundary():
        show_topic(chosen, topics)
    with names, st.container(key="topics", gap=None):
        show_topics(found(topics, search), chosen, search)


def found(topics: tuple[Topic, ...], search: str) -> list[Topic]:
    """List the topics that contain every word of a search."""
    words = search.casefold().split()
    return [topic for topic in topics if all(word in guide.read(topic.name).casefold() for word in words)]


def show_topics(topics: list[Topic], chosen: str, search: str) -> None:
    """List topics under their sections."""
    if not topics:
        st.markdown(f'Nothing matches "{wording.plain(search)}"')
    section = ""
    for topic in topics:
        if topic.section != section:
            section = topic.section
            st.caption(section)
        title = f"**{topic.title}**" if topic.name == chosen else topic.title
        st.button(title, key=f"topic-{topic.name}", type="tertiary", wrap=True, on_click=choose, args=(topic.name,))


def choose(name: str) -> None:
    """Show a topic, and let the address name it."""
    st.query_params["topic"] = name


def show_topic(name: str, topics: tuple[Topic, ...]) -> None:
    """Show a topic; its links lead to topics on this page, and its images come from the package."""
    text = guide.read(name)
    for topic in topics:
        text = text.replace(f"]({topic.name}.md", f"]({LINK}{topic.name}")
    passage: list[str] = []
    for line in [*text.splitlines(), "![]()"]:  # the last one ends the last passage
        if not line.startswith("!["):
            passage.append(line)
            continue
        st.markdown("\n".join(passage), width=parts.HEADING_WIDTH)
        passage = []
        caption, _, path = line.removeprefix("![").removesuffix(")").partition("](")
        if path:
            st.image(FOLDER / path, caption=caption, alt=caption)


main()

// Slides in the browser: keys, swipes and buttons turn them without asking the server, which a presenter may lose.
const NEXT = ["ArrowRight", "ArrowDown", "PageDown", "Enter", " "];
const BACK = ["ArrowLeft", "ArrowUp", "PageUp", "Backspace"];
const SWIPE = 50; // pixels
const SVG = "http://www.w3.org/2000/svg";

export default function ({ parentElement, data, setTriggerValue }) {
  const deck = parentElement.querySelector(".deck");
  const find = name => deck.querySelector(`.${name}`);
  const { slides, theme } = data;
  deck.dataset.theme = theme;
  deck.stopListening?.(); // the page was drawn again: the slide stays
  const listening = new AbortController();
  deck.stopListening = () => listening.abort();
  const on = (target, event, act, options = {}) => target.addEventListener(event, act, { signal: listening.signal, ...options });

  const paragraphs = lines => lines.map(line => Object.assign(document.createElement("p"), { textContent: line }));

  // Read as XML, which makes nothing of what is written but elements and text; only a picture is taken.
  const picture = text => {
    const found = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    return found.namespaceURI === SVG && found.localName === "svg" ? document.importNode(found, true) : "";
  };

  const show = wanted => {
    const at = Math.min(Math.max(wanted, 0), slides.length - 1);
    const slide = slides[at];
    deck.dataset.at = at;
    find("stage").replaceChildren(picture(slide.svg));
    const title = Object.assign(document.createElement("h1"), { textContent: slide.title });
    find("words").replaceChildren(title, ...paragraphs(slide.lines));
    find("words").scrollTop = 0;
    find("notes").replaceChildren(...paragraphs(slide.notes.length ? slide.notes : ["No notes for this slide."]));
    find("count").textContent = `${at + 1} of ${slides.length}`;
    find("back").setAttribute("aria-disabled", at === 0);
    find("next").setAttribute("aria-disabled", at === slides.length - 1);
  };
  const go = by => show(Number(deck.dataset.at) + by);

  const hasNotes = slides.some(slide => slide.notes.length);
  find("note").hidden = !hasNotes;
  const turnNotes = () => {
    if (!hasNotes) return;
    find("notes").hidden = !find("notes").hidden;
    find("note").setAttribute("aria-pressed", !find("notes").hidden);
  };
  const turnWhole = () =>
    (document.fullscreenElement ? document.exitFullscreen() : deck.requestFullscreen?.())?.catch(() => {});
  const leave = async () => {
    if (document.fullscreenElement) await document.exitFullscreen().catch(() => {});
    setTriggerValue("left", true);
  };

  const buttons = { back: () => go(-1), next: () => go(1), whole: turnWhole, note: turnNotes, leave };
  for (const [name, act] of Object.entries(buttons))
    on(find(name), "click", event => {
      if (event.detail) event.currentTarget.blur(); // after a mouse, the space bar turns the page again
      act();
    });

  on(document, "keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const onButton = event.target.closest?.("button") && (key === " " || key === "Enter");
    if (onButton || event.target.closest?.("input, textarea, select")) return;
    const act =
      key === " " && event.shiftKey ? () => go(-1)
      : NEXT.includes(key) ? () => go(1)
      : BACK.includes(key) ? () => go(-1)
      : key === "Home" ? () => show(0)
      : key === "End" ? () => show(slides.length - 1)
      : key === "f" || key === "F" ? turnWhole
      : key === "n" || key === "N" ? turnNotes
      : key === "Escape" ? leave
      : null;
    if (act === null) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }, { capture: true });

  let from = null;
  on(deck, "touchstart", event => { from = event.touches.length === 1 ? event.touches[0] : null; }, { passive: true });
  on(deck, "touchend", event => {
    if (from === null) return;
    const x = event.changedTouches[0].clientX - from.clientX, y = event.changedTouches[0].clientY - from.clientY;
    if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) go(x < 0 ? 1 : -1);
    from = null;
  }, { passive: true });

  show(Number(deck.dataset.at ?? 0));
  return () => listening.abort();
}

// Tell the server what is half written in a text box, and show its answer for as long as that is what the box holds.
const PAUSE = 250; // milliseconds
const places = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const line = parentElement.querySelector("p");
  const place = places.get(parentElement) ?? { sent: "", timer: 0 };
  places.set(parentElement, place);
  const box = () => document.querySelector(`.st-key-${data.field} input`);
  const written = () => (box()?.value ?? "").trim();
  const show = () => {
    line.textContent = written() && written() === data.of ? data.said : "";
  };
  const send = () => {
    if (!box() || written() === place.sent) return; // the page may have been left
    place.sent = written();
    setStateValue("typed", place.sent);
  };
  const hear = (event) => {
    if (event.target !== box()) return;
    show();
    clearTimeout(place.timer);
    place.timer = setTimeout(send, PAUSE);
  };
  const enter = (event) => {
    if (event.key !== "Enter" || event.target !== box()) return;
    clearTimeout(place.timer); // the framework sends it
    place.sent = "";
  };
  // On the document: the framework may draw the box anew.
  const heard = { input: hear, keydown: enter };
  for (const [name, act] of Object.entries(heard)) document.addEventListener(name, act, true);
  show();
  return () => {
    for (const [name, act] of Object.entries(heard)) document.removeEventListener(name, act, true);
  };
}

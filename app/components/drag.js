// Tell the server where a slider is while it is dragged, one value at a time: the next goes out when the page has
// answered the last. Keys and clicks are the framework's own.
const places = new WeakMap();
const RESTING = { key: null, input: null, sent: null, moved: false, ends: false };
const named = (key) => "st-key-" + key.trim().replace(/[^a-zA-Z0-9_-]/g, "-");

export default function ({ data, parentElement, setStateValue }) {
  const place = places.get(parentElement) ?? { ...RESTING, waits: 0, n: 0 };
  places.set(parentElement, place);
  if (place.waits === data.n) place.waits = 0;

  const send = () => {
    if (place.key === null || place.waits) return;
    const value = place.input.isConnected ? Number(place.input.value) : place.sent;
    if (value === place.sent && !place.ends) return;
    place.n += 1;
    if (place.moved || value !== place.sent) {
      place.waits = place.n;
      setStateValue("move", { key: place.key, value, n: place.n, ends: place.ends });
    }
    Object.assign(place, place.ends ? RESTING : { sent: value, moved: true });
  };
  const begin = (event) => {
    const slider = event.target instanceof Element ? event.target.closest('[data-testid="stSlider"]') : null;
    const key = slider && data.keys.find((one) => slider.closest("." + CSS.escape(named(one))));
    if (!key) return;
    const input = slider.querySelector("input[type=range]");
    Object.assign(place, RESTING, { key, input, sent: Number(input.value) });
  };
  const move = () => {
    requestAnimationFrame(send);
    clearTimeout(place.late);
    place.late = setTimeout(send, 50); // the framework may set the value of the last move after the frame
  };
  const end = () => {
    if (place.key === null) return;
    place.ends = true;
    setTimeout(send, 50); // once the framework has set its last value
  };
  const heard = { pointerdown: begin, pointermove: move, pointerup: end, pointercancel: end };
  for (const [name, hear] of Object.entries(heard)) document.addEventListener(name, hear, true);
  send();
  return () => {
    for (const [name, hear] of Object.entries(heard)) document.removeEventListener(name, hear, true);
  };
}

// Let rows of a list be dragged with the mouse to another place; the server is told from where to where. Touch scrolls.
const FAR = 6; // pixels before a press is a drag

export default function ({ data, parentElement, setTriggerValue }) {
  const rows = () => [...document.querySelectorAll(data.rows)];
  const line = document.createElement("div");
  line.className = "order-line";
  let from = -1, to = -1, start = 0;

  const begin = (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0 || !(event.target instanceof Element)) return;
    from = rows().findIndex((row) => row.contains(event.target));
    to = -1;
    start = event.clientY;
  };
  const move = (event) => {
    if (from < 0 || (to < 0 && Math.abs(event.clientY - start) < FAR)) return;
    const boxes = rows().map((row) => row.getBoundingClientRect());
    const before = boxes.filter((box) => (box.top + box.bottom) / 2 < event.clientY).length; // rows above the hand
    to = before > from ? before - 1 : before;
    const { left, width } = boxes[0];
    const y = before < boxes.length ? boxes[before].top : boxes[boxes.length - 1].bottom;
    Object.assign(line.style, { left: `${left}px`, width: `${width}px`, top: `${y - 1}px` });
    document.body.append(line);
    event.preventDefault();
  };
  const end = () => {
    line.remove();
    if (from >= 0 && to >= 0) {
      // The press that ends a drag is no click on the row.
      const swallow = (event) => event.stopPropagation();
      document.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => document.removeEventListener("click", swallow, true));
      if (to !== from) setTriggerValue("moved", [from, to]);
    }
    from = to = -1;
  };
  const heard = { pointerdown: begin, pointermove: move, pointerup: end, pointercancel: end };
  for (const [name, hear] of Object.entries(heard)) document.addEventListener(name, hear, true);
  return () => {
    line.remove();
    for (const [name, hear] of Object.entries(heard)) document.removeEventListener(name, hear, true);
  };
}

// Scroll an element into sight when there is another one to see, and leave the page alone otherwise.
const shown = new WeakMap();

export default function ({ data, parentElement }) {
  const before = shown.get(parentElement);
  shown.set(parentElement, data.what);
  if (before === undefined || before === data.what) return;
  // Once the rest of the page has been drawn.
  setTimeout(() => {
    const found = document.querySelector(data.selector);
    if (found) found.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, 100);
}

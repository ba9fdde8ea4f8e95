// A row of marks, one an edit: each says what it did, and tells the server when it is clicked.
export default function ({ data, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector("ol");
  const marks = data.marks.map(({ number, says, kind }) => {
    const item = document.createElement("li");
    const mark = document.createElement("button");
    mark.type = "button";
    mark.className = kind;
    mark.title = says;
    mark.setAttribute("aria-label", says);
    mark.textContent = kind === "kept" ? "\u2605" : "";
    if (kind === "now") mark.setAttribute("aria-current", "true");
    mark.addEventListener("click", () => setTriggerValue("picked", number));
    item.append(mark);
    return item;
  });
  list.replaceChildren(...marks);
}

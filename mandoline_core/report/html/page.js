"use strict";
(async () => {
  const DOWNLOAD = {
    width: 1000, height: 1000,
    path: "M440 80h120v420h170L500 740 270 500h170zM150 800h700v120H150z",
  };
  const PRINTED = {width: 660, height: 890}; // pixels: what fits on a page of A4 and of Letter
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const places = [...document.querySelectorAll("figure[data-figure]")];

  const unpack = async id => {
    const packed = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), c => c.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };

  const save = (content, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  // The summary, as a picture for a slide: always light, whatever the page.
  const picture = document.getElementById("summary-picture");
  const drawn = () => new Blob([new XMLSerializer().serializeToString(picture)], {type: "image/svg+xml"});
  const stem = document.body.dataset.file;
  const tools = document.createElement("p");
  tools.className = "tools";
  for (const kind of ["PNG", "SVG"]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `Save this picture as ${kind}`;
    button.onclick = () => {
      if (kind === "SVG") return save(drawn(), `${stem}-summary.svg`);
      const image = new Image();
      image.onload = () => {
        const canvas = Object.assign(document.createElement("canvas"), {width: 1920, height: 1080});
        canvas.getContext("2d").drawImage(image, 0, 0, 1920, 1080);
        canvas.toBlob(content => save(content, `${stem}-summary.png`), "image/png");
      };
      image.src = URL.createObjectURL(drawn());
    };
    tools.append(button);
  }
  picture?.after(tools); // a page of figures alone has none

  // Figures. Without what it takes to unpack them, the tables stay in their places.
  if (!window.DecompressionStream) return;
  const figures = JSON.parse(await unpack("figures"));
  const script = document.createElement("script");
  script.textContent = await unpack("plotly");
  document.head.append(script);

  const button = (place, format) => ({
    name: `Save as ${format.toUpperCase()}`,
    title: `Save as ${format.toUpperCase()}`,
    icon: DOWNLOAD,
    click: plot => Plotly.downloadImage(plot, {
      format, filename: place.dataset.file, width: plot.offsetWidth, height: plot.offsetHeight, scale: format === "png" ? 2 : 1,
    }),
  });

  const draw = (place, look, room) => {
    const {data, layout} = structuredClone(figures[place.dataset.figure][look]);
    const config = {
      displaylogo: false, responsive: true, scrollZoom: false,
      modeBarButtons: [["svg", "png"].map(format => button(place, format))],
    };
    const plot = place.querySelector(".plot");
    // What is higher than a page is printed smaller, not squeezed: squeezed lines run into each other.
    const shrunk = room ? Math.max(layout.height / room.height, 1) : 1;
    plot.style.zoom = 1 / shrunk;
    const size = room ? {width: room.width * shrunk, height: layout.height, autosize: false} : {autosize: true};
    return Plotly.react(plot, data, {...layout, ...size}, config);
  };
  const drawAll = room => places.map(place => draw(place, !room && dark.matches ? "dark" : "light", room));

  for (const place of places) {
    place.querySelector(".plot").classList.add("drawn");
    await draw(place, dark.matches ? "dark" : "light");
    place.querySelector("details").open = false;
    await new Promise(done => setTimeout(done)); // the page answers between figures
  }
  dark.addEventListener("change", () => drawAll());
  addEventListener("beforeprint", () => drawAll(PRINTED));
  addEventListener("afterprint", () => drawAll());
  document.documentElement.dataset.drawn = places.length;
})();

// Moves the tokens of the picture, and the exact numbers beside it, to the layer of the slider.
"use strict";
document.documentElement.classList.add("script");
for (const stage of document.querySelectorAll(".stage")) {
  const film = JSON.parse(stage.querySelector("script[type='application/json']").textContent);
  const slider = stage.querySelector("input"), button = stage.querySelector("button");
  const name = stage.querySelector("output"), range = stage.querySelector(".range");
  const uses = stage.querySelectorAll("use[data-token]"), outline = stage.querySelector(".outline");
  const cells = stage.querySelectorAll("[data-cell]"), axes = stage.querySelector(".axes");
  const show = (frame) => {
    for (const use of uses) {
      const token = Number(use.dataset.token);
      use.setAttribute("x", film.places[frame][2 * token]);
      use.setAttribute("y", film.places[frame][2 * token + 1]);
      use.setAttribute("href", "#" + film.styles[frame][token]);
    }
    outline.setAttribute("d", film.outlines[frame]);
    cells.forEach((cell, k) => { cell.textContent = film.cells[frame][k]; });
    name.textContent = film.names[frame];
    range.textContent = film.ranges[frame];
    if (film.axes.length) { axes.innerHTML = film.axes[frame]; }
    slider.value = String(frame);
  };
  slider.addEventListener("input", () => show(Number(slider.value)));
  let timer = null;
  const stop = () => { clearInterval(timer); timer = null; button.textContent = "Play"; };
  button.addEventListener("click", () => {
    if (timer) { stop(); return; }
    if (Number(slider.value) === film.names.length - 1) { show(0); }
    button.textContent = "Stop";
    timer = setInterval(() => {
      const next = Number(slider.value) + 1;
      if (next >= film.names.length) { stop(); } else { show(next); }
    }, 500);
  });
  show(Number(slider.value));
}

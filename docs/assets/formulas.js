// Sets every formula of a page with KaTeX, which comes with the site: no network.
document.addEventListener("DOMContentLoaded", () => {
  renderMathInElement(document.body, {
    delimiters: [
      { left: "\\(", right: "\\)", display: false },
      { left: "\\[", right: "\\]", display: true },
    ],
    throwOnError: false,
  });
  document.fonts.ready.then(fit);
  window.addEventListener("resize", fit);
});

// A displayed formula that is wider than its column is set smaller, down to two thirds; beyond that it scrolls.
function fit() {
  for (const formula of document.querySelectorAll(".arithmatex .katex-display")) {
    formula.style.fontSize = "";
    const parts = [...formula.querySelectorAll(".katex-html > .base")].map((part) => part.getBoundingClientRect());
    if (!parts.length) continue;
    const width = Math.max(...parts.map((part) => part.right)) - Math.min(...parts.map((part) => part.left));
    const number = parseFloat(getComputedStyle(formula).paddingRight); // the room of a formula's number
    const room = formula.closest(".arithmatex").clientWidth - number; // between them stands a span
    if (width > room) formula.style.fontSize = `${Math.max(0.66, (0.98 * room) / width)}em`;
  }
}

// Sets every formula of a page with KaTeX, which comes with the site: no network.
document.addEventListener("DOMContentLoaded", () => {
  renderMathInElement(document.body, {
    delimiters: [
      { left: "\\(", right: "\\)", display: false },
      { left: "\\[", right: "\\]", display: true },
    ],
    throwOnError: false,
  });
  fit();
  window.addEventListener("resize", fit);
});

// A displayed formula that is wider than its column is set smaller, down to two thirds; beyond that it scrolls.
function fit() {
  for (const formula of document.querySelectorAll(".arithmatex .katex-display")) {
    formula.style.fontSize = "";
    const room = formula.parentElement.clientWidth;
    if (formula.scrollWidth > room) formula.style.fontSize = `${Math.max(0.66, room / formula.scrollWidth)}em`;
  }
}

// Runs the checker proved correct on the certificate that its section of the page carries.
"use strict";
for (const place of document.querySelectorAll(".here")) {
  const button = place.querySelector("button"), output = place.querySelector("output");
  const link = place.closest("section").querySelector("a[download]");
  const textOf = (address) => {
    const bytes = Uint8Array.from(atob(address.slice(address.indexOf(",") + 1)), (c) => c.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  };
  const check = () => {
    const start = performance.now();
    try {
      const found = JSON.parse(proofsCheckVerified(textOf(link.href)));
      const where = found.where ? ` at ${found.where}` : "", seconds = ((performance.now() - start) / 1000).toFixed(1);
      output.textContent = `${found.verdict}${where}: ${found.why} (in this browser, ${seconds} s)`;
    } catch (problem) {
      output.textContent = `a bug, nothing is proved: ${problem}`;
    }
  };
  place.hidden = !link;
  button.addEventListener("click", () => { output.textContent = "checking .."; setTimeout(check, 20); });
}

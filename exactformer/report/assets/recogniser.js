// The recogniser of the page, by definition, in exact rational arithmetic; arcs over the word, block by block.
"use strict";
(() => {
  const MOST = 64;
  const data = JSON.parse(document.getElementById("recogniser").textContent);
  const abs = (x) => (x < 0n ? -x : x);
  const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };
  const make = (n, d) => {
    if (d < 0n) [n, d] = [-n, -d];
    const g = gcd(abs(n), d) || 1n;
    return { n: n / g, d: d / g };
  };
  const read = (text) => { const [n, d] = String(text).split("/"); return make(BigInt(n), BigInt(d || 1)); };
  const zero = read(0);
  const add = (a, b) => (a.d === 1n && b.d === 1n ? { n: a.n + b.n, d: 1n } : make(a.n * b.d + b.n * a.d, a.d * b.d));
  const times = (a, b) => (a.d === 1n && b.d === 1n ? { n: a.n * b.n, d: 1n } : make(a.n * b.n, a.d * b.d));
  const over = (a, b) => make(a.n * b.d, a.d * b.n);
  const less = (a, b) => a.n * b.d < b.n * a.d;
  const equal = (a, b) => a.n === b.n && a.d === b.d;
  const show = (a) => (a.d === 1n ? `${a.n}` : `${a.n}/${a.d}`);
  const form = (row, x) => row.reduce((sum, [c, a]) => add(sum, times(a, x[c])), zero);
  const numbers = (rows) => rows.map((row) => row.map(([c, a]) => [c, read(a)]));
  const blocks = data.blocks.map((b) => ({
    eta: read(b.eta), rho: read(b.rho), carried: b.carried,
    units: b.units.map(([row, bias]) => [numbers([row])[0], read(bias)]),
    outputs: b.outputs.map(([place, row]) => [place, numbers([row])[0]]),
    heads: b.heads.map((h) => ({ ...h, Q: numbers(h.Q), K: numbers(h.K), V: numbers(h.V) })),
  }));

  const polynomial = (terms, i, n) => terms.reduce(
    (sum, [x, a, b]) => add(sum, times(read(x), make(BigInt(i) ** BigInt(a) * BigInt(n) ** BigInt(b), 1n))), zero);
  const feature = (f, i, n) => {
    if (f.period) return read(f.period[i % f.period.length]);
    const below = polynomial(f.ratio[1], i, n);
    if (below.n === 0n) throw new Error(`the denominator of a feature vanishes at position ${i} of ${n}`);
    return over(polynomial(f.ratio[0], i, n), below);
  };
  const embed = (word) => {
    const rows = word.map((letter) => data.tokens[data.letters.indexOf(letter)]);
    if (data.begin) rows.unshift(data.begin);
    if (data.end) rows.push(data.end);
    return rows.map((row, i) => {
      const x = row.map(read);
      for (const f of data.features) x[f.coordinate] = add(x[f.coordinate], feature(f, i, rows.length));
      return x;
    });
  };
  const visible = (mask, i, n) => {
    const [from, to] = { all: [0, n], before: [0, i], upto: [0, i + 1], after: [i + 1, n], from: [i, n] }[mask || "all"];
    return Array.from({ length: to - from }, (_, k) => from + k);
  };
  const follows = (head, tokens) => {
    const keys = tokens.map((x) => head.K.map((row) => form(row, x)));
    return tokens.map((x, i) => {
      const query = head.Q.map((row) => form(row, x));
      let best = [], top = zero;
      for (const j of visible(head.mask, i, tokens.length)) {
        const score = query.reduce((sum, q, k) => add(sum, times(q, keys[j][k])), zero);
        if (!best.length || less(top, score)) [best, top] = [[j], score];
        else if (equal(top, score)) best.push(j);
      }
      return head.ties === "all" ? best : head.ties === "first" ? best.slice(0, 1) : best.slice(-1);
    });
  };
  const step = (block, tokens) => {
    const fed = tokens.map((x) => {
      const hidden = block.units.map(([row, bias]) => { const v = add(form(row, x), bias); return v.n > 0n ? v : zero; });
      return block.outputs.map(([place, row]) => add(place === null ? zero : times(block.eta, x[place]), form(row, hidden)));
    });
    const chosen = block.heads.map((head) => follows(head, fed));
    const out = fed.map((y, i) => {
      let x = block.carried.map((place) => (place === null ? zero : times(block.rho, y[place])));
      block.heads.forEach((head, h) => {
        const set = chosen[h][i];
        if (!set.length) return;
        const share = make(1n, BigInt(set.length));
        const mean = y.map((_, c) => times(share, set.reduce((sum, j) => add(sum, fed[j][c]), zero)));
        x = x.map((v, c) => add(v, form(head.V[c], mean)));
      });
      return x;
    });
    return { chosen, out };
  };
  const verdict = (tokens) => {
    if (!tokens.length) return data.empty === null ? "zero" : data.empty ? "accept" : "reject";
    const x = tokens[data.at === "first" ? 0 : tokens.length - 1];
    const value = add(form(data.accept.map((a, c) => [c, read(a)]), x), times(read(-1), read(data.threshold)));
    return value.n > 0n ? "accept" : value.n < 0n ? "reject" : "zero";
  };

  const SVG = "http://www.w3.org/2000/svg";
  const element = (name, attributes, text) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const arc = (i, j, h, base, tied) => {
    const at = (k) => 30 + 44 * k, height = i === j ? 34 : 18 + 15 * Math.abs(i - j);
    const bend = i === j ? [at(i) - 22, at(i) + 22] : [at(i), at(j)];
    const path = element("path", { class: `h${h % 7}${tied ? " tied" : ""}`,
      d: `M${at(i)},${base} C${bend[0]},${base - height} ${bend[1]},${base - height} ${at(j)},${base - 4}` });
    path.append(element("title", {}, `head ${h}: ${i} looks at ${j}`));
    return [path, element("circle", { class: `tip h${h % 7}`, cx: at(j), cy: base - 4, r: 3.2 })];
  };
  const draw = (names, block, b, done) => {
    const part = document.createElement("div");
    part.className = "block";
    const heads = block.heads.map((head, h) =>
      `<span class="h${h % 7}">head ${h}: ${head.mask || "no mask"}, ties ${head.ties}</span>`).join("");
    part.innerHTML = `<h3>block ${b}</h3><p class="heads">${heads || "no head: every position by itself"}</p>`;
    if (block.heads.length && names.length) {
      const spans = done.chosen.flatMap((chosen) => chosen.flatMap((set, i) => set.map((j) => Math.abs(i - j))));
      const base = 34 + 11 * Math.max(0, ...spans), width = 60 + 44 * (names.length - 1);
      const svg = element("svg", { viewBox: `0 0 ${width} ${base + 44}`, width, role: "img" });
      svg.append(element("title", {}, `what the heads of block ${b} look at`));
      done.chosen.forEach((chosen, h) => chosen.forEach((set, i) =>
        set.forEach((j) => svg.append(...arc(i, j, h, base, set.length > 1)))));
      names.forEach((name, i) => {
        svg.append(element("text", { x: 30 + 44 * i, y: base + 18 }, name));
        svg.append(element("text", { x: 30 + 44 * i, y: base + 34, class: "index" }, String(i)));
      });
      svg.style.minWidth = `${0.6 * width}px`; // a long word scrolls, it does not shrink until nothing can be read
      const scroll = document.createElement("div");
      scroll.className = "scroll";
      scroll.append(svg);
      part.append(scroll);
    }
    const table = document.createElement("table");
    done.out.forEach((x, i) => {
      const row = table.insertRow();
      row.insertCell().textContent = `${i} ${names[i]}`;
      x.forEach((v) => { row.insertCell().textContent = show(v); });
    });
    const fold = document.createElement("details");
    fold.innerHTML = "<summary>the tokens after this block</summary><div class=\"scroll\"></div>";
    fold.lastChild.append(table);
    part.append(fold);
    return part;
  };

  const input = document.getElementById("typed"), output = document.getElementById("verdict");
  const place = document.getElementById("blocks");
  const letters = (text) => (data.letters.every((a) => a.length === 1) ? [...text] : text.split(/\s+/).filter(Boolean));
  const run = () => {
    place.replaceChildren();
    const word = letters(input.value);
    const foreign = word.find((a) => !data.letters.includes(a));
    if (foreign !== undefined || word.length > MOST) {
      output.className = "wrong";
      output.textContent = foreign !== undefined ? `${foreign} is not one of the letters ${data.letters.join(" ")}` : `at most ${MOST} letters are shown, got ${word.length}`;
      return;
    }
    try {
      let tokens = embed(word);
      const names = [...(data.begin ? ["^"] : []), ...word, ...(data.end ? ["$"] : [])];
      blocks.forEach((block, b) => {
        const done = step(block, tokens);
        tokens = done.out;
        place.append(draw(names, block, b, done));
      });
      const said = verdict(tokens);
      output.className = said;
      output.textContent = said;
      if (data.automaton) {
        let q = data.automaton.start;
        for (const a of word) q = data.automaton.next[q][data.automaton.letters.indexOf(a)];
        output.textContent += `; the automaton ${data.automaton.accepting.includes(q) ? "accepts" : "rejects"}, in state ${q}`;
      }
    } catch (problem) {
      output.className = "wrong";
      output.textContent = problem.message;
    }
  };
  input.addEventListener("input", run);
  run();
})();

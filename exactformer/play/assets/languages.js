// The tab for languages: an automaton with its run on a word, and a transformer that recognises the language.
'use strict';
const { $, make, fill, announce, offer } = require('./dom.js');
const { verdict, withoutServer } = require('./panels.js');
const { START } = require('./state.js');

const EXAMPLES = [
  ['(ab)*', 'abab', '(ab)*: alternating letters'], ['a*b', 'aab', 'a*b'], ['tomita-4', '010010', 'tomita-4: never 000'], ['dyck-1-2', '(())()', 'dyck-1-2: brackets, two deep'],
  ['(aa)*', 'aaaa', '(aa)*: counts modulo 2'], ['parity', '0110', 'parity: an odd number of 1'], ['.*a.*b.*', 'ccacb', 'a before b'],
];
const RADIUS = 24;
const FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';
const px = (x) => x.toFixed(1);
const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

class Languages {
  constructor(app) {
    Object.assign(this, { app, answer: null, read: 0 });
    for (const id of ['expression', 'word']) {
      $(id).addEventListener('input', () => { app.state[id] = $(id).value; this.changed(); });
    }
    $('letter').addEventListener('input', (event) => { this.read = Number(event.target.value); this.draw(); });
    $('examples').append(...EXAMPLES.map(([, , name], k) => make('option', { value: k }, name)));
    $('examples').addEventListener('change', (event) => {
      if (event.target.value === '') return;
      [app.state.expression, app.state.word] = EXAMPLES[event.target.value];
      event.target.value = '';
      this.open();
    });
    addEventListener('resize', () => { if (app.state.tab === 'languages') this.draw(); });
  }
  open() {
    for (const id of ['expression', 'word']) $(id).value = this.app.state[id];
    this.changed();
  }
  async changed() {
    this.app.keep();
    const { expression, word } = this.app.state;
    if (!this.app.served) { this.withoutServer(expression, word); return; }
    try {
      const found = await this.app.server.newest('language', { expression, word });
      if (!found) return;
      this.answer = found;
    } catch (problem) {
      this.answer = { problem: problem.message };
    }
    this.read = this.answer.run ? this.answer.run.length - 1 : 0;
    this.draw();
  }

  /** Of the first language and word the answer is in the page. */
  withoutServer(expression, word) {
    this.answer = expression === START.expression && word === START.word ? this.app.content.answers.language : null;
    this.read = this.answer ? this.answer.run.length - 1 : 0;
    this.draw();
    if (this.answer) return;
    fill($('word-body'), ...withoutServer('Languages of your own are read, compiled and proved by the Python library:'));
    for (const id of ['recogniser-body', 'heads-body']) fill($(id));
    $('automaton').innerHTML = '';
  }

  draw() {
    const { answer } = this;
    if (!answer) return;
    const bad = answer.problem ?? answer.undecided;
    $('expression').classList.toggle('bad', Boolean(bad));
    if (bad) { fill($('word-body'), make('p', { class: 'no', role: 'alert' }, bad)); fill($('recogniser-body')); fill($('heads-body')); $('automaton').innerHTML = ''; return; }
    $('letter').max = answer.run.length - 1;
    $('letter').value = this.read;
    const word = this.letters();
    $('letter-value').textContent = `${word.slice(0, this.read).join('') || '\u03b5'}\u2009|\u2009${word.slice(this.read).join('')}`;
    fill($('word-body'), make('p', { class: 'big' }, make('span', { class: `badge ${answer.accepted ? 'yes' : 'no'}`, id: 'word-verdict' }, answer.accepted ? 'in the language' : 'not in the language'), ` ${word.join('') || 'the empty word'}`),
      make('p', { class: 'soft' }, `The minimal automaton has ${answer.automaton.next.length} states over the letters ${answer.automaton.letters.join(', ')}; it is in state ${answer.run[this.read]} after ${this.read} letters.`));
    this.recogniser();
    this.heads();
    this.automaton();
  }
  letters() {
    const several = this.answer.automaton.letters.some((letter) => letter.length > 1);
    return several ? this.app.state.word.split(/\s+/).filter(Boolean) : [...this.app.state.word];
  }

  recogniser() {
    const { compiled, verdict: found, declined, says } = this.answer, body = $('recogniser-body');
    const button = this.app.served ? make('div', { class: 'bar' }, make('button', { class: 'main', onclick: () => this.certificate() }, 'Download the certificate')) : '';
    if (!compiled) { fill(body, make('p', {}, make('span', { class: 'badge warn' }, 'undecided')), make('p', {}, declined)); return; }
    if (compiled.possible) {
      fill(body, make('p', {}, make('span', { class: 'badge yes' }, 'proved for words of all lengths'), ' ', verdict(found)),
        make('p', {}, `Hard attention with unique ties: ${compiled.blocks} blocks, ${compiled.heads} heads, dimension ${compiled.dim}. It says ${says} on this word.`), button);
      return;
    }
    const text = (word) => (word.length ? word : '\u03b5');
    fill(body, make('p', {}, make('span', { class: 'badge no' }, 'no such transformer exists'), ' ', verdict(found)),
      make('p', {}, 'Heads with unique ties cannot count. This language does:'),
      make('p', { class: 'number' }, `x = ${text(compiled.x)}, u = ${text(compiled.u)}, z = ${text(compiled.z)}`),
      make('p', {}, `Whether x u\u207f z belongs to it depends on n modulo ${compiled.p}, however large n is.`), button);
  }
  async certificate() {
    const { expression, word } = this.app.state;
    try {
      offer('language.jsonl', await this.app.server.ask('recogniser', { expression, word }, { file: true }));
      announce('Check it with: proofs-check language.jsonl');
    } catch (problem) {
      announce(problem.message);
    }
  }
  heads() {
    const { names, heads } = this.answer, body = $('heads-body');
    if (!heads) { fill(body, make('p', { class: 'soft' }, 'There is no transformer to look at.')); return; }
    const used = heads.flatMap((block, b) => block.map((head, h) => [`block ${b + 1}, head ${h + 1}`, head]));
    const cell = (C, i) => make('td', { class: C.length === 1 && C[0] !== i ? 'number here' : 'number' }, ...(C.length ? C.flatMap((j) => [` ${names[j]}`, make('sub', {}, String(j))]) : ['\u2013']));
    fill(body, make('table', {}, make('tr', {}, make('th', {}), ...names.map((name, i) => make('th', { scope: 'col', class: 'number' }, name, make('sub', {}, String(i))))),
      ...used.map(([name, head]) => make('tr', {}, make('th', { scope: 'row' }, name), ...head.map(cell)))),
    make('p', { class: 'soft' }, `The position that each position attends to; \u2013 is none.${names.includes('^') || names.includes('$') ? ' ^ and $ mark the ends of the word.' : ''}`));
  }

  /** States on a circle; the ones visited so far are coloured. */
  automaton() {
    const svg = $('automaton'), box = svg.parentElement.getBoundingClientRect(), theme = this.app.theme(), { automaton, run } = this.answer;
    if (!box.width) return;
    svg.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`);
    const count = automaton.next.length, middle = [box.width / 2, box.height / 2], reach = Math.min(box.width, box.height) / 2 - 88;
    const at = (q) => { const t = Math.PI - (2 * Math.PI * (q - automaton.start)) / count; return count === 1 ? middle : [middle[0] + reach * Math.cos(t) * Math.min(1.3, box.width / box.height), middle[1] - reach * Math.sin(t)]; };
    const edges = new Map(), step = [run[this.read - 1], run[this.read]];
    automaton.next.forEach((row, q) => row.forEach((r, a) => edges.set(`${q},${r}`, [...(edges.get(`${q},${r}`) ?? []), automaton.letters[a]])));
    const parts = [`<rect width="${box.width}" height="${box.height}" fill="${theme.paper}"/>`];
    for (const [key, letters] of edges) {
      const [q, r] = key.split(',').map(Number), now = this.read > 0 && step[0] === q && step[1] === r;
      parts.push(edge(at(q), at(r), letters.join(', '), { stroke: now ? theme.accent : theme.soft, width: now ? 3 : 1.4, paper: theme.paper }, middle, edges.has(`${r},${q}`)));
    }
    automaton.next.forEach((_, q) => parts.push(node(at(q), q, automaton.accepting.includes(q), run[this.read] === q, theme)));
    const [x, y] = at(automaton.start), aside = edges.has(`${automaton.start},${automaton.start}`) && count > 1; // where no loop is
    parts.push(`<path transform="translate(${px(x)} ${px(y)}) rotate(${aside ? -65 : 0})" d="M${-RADIUS - 26} 0H${-RADIUS - 4}m-7 -4l7 4l-7 4" stroke="${theme.ink}" fill="none" stroke-width="1.6"/>`);
    svg.innerHTML = parts.join('');
  }
}

function node([x, y], q, accepting, here, theme) {
  const inner = accepting ? `<circle cx="${px(x)}" cy="${px(y)}" r="${RADIUS - 5}" fill="none" stroke="${theme.ink}"/>` : '';
  return `<circle cx="${px(x)}" cy="${px(y)}" r="${RADIUS}" fill="${here ? theme.accent : theme.paper}" stroke="${theme.ink}" stroke-width="1.6"/>${inner}<text x="${px(x)}" y="${px(y + 5)}" text-anchor="middle" font-size="15" font-family="${FONT}" fill="${here ? theme.paper : theme.ink}">${q}</text>`;
}

/** An arrow with its letters; a loop points away from the middle, and two opposite arrows bend. */
function edge(from, to, letters, { stroke, width, paper }, middle, both) {
  const text = (x, y) => `<text x="${px(x)}" y="${px(y + 5)}" text-anchor="middle" font-size="14" font-family="${FONT}" fill="${stroke}" paint-order="stroke" stroke="${paper}" stroke-width="5">${escaped(letters)}</text>`;
  const style = `stroke="${stroke}" stroke-width="${width}" fill="none"`;
  if (from === to || (from[0] === to[0] && from[1] === to[1])) {
    const out = Math.hypot(from[0] - middle[0], from[1] - middle[1]), [u, v] = out < 1 ? [0, -1] : [(from[0] - middle[0]) / out, (from[1] - middle[1]) / out];
    const start = [from[0] + RADIUS * (0.8 * u - 0.6 * v), from[1] + RADIUS * (0.8 * v + 0.6 * u)], end = [from[0] + RADIUS * (0.8 * u + 0.6 * v), from[1] + RADIUS * (0.8 * v - 0.6 * u)];
    const far = [from[0] + 74 * u, from[1] + 74 * v];
    return `<path d="M${px(start[0])} ${px(start[1])}C${px(far[0] - 26 * v)} ${px(far[1] + 26 * u)} ${px(far[0] + 26 * v)} ${px(far[1] - 26 * u)} ${px(end[0])} ${px(end[1])}" ${style}/>${tip([far[0] + 26 * v, far[1] - 26 * u], end, stroke, width)}${text(from[0] + 72 * u, from[1] + 72 * v)}`;
  }
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]], length = Math.hypot(dx, dy), [u, v] = [dx / length, dy / length], bend = both ? 26 : 0;
  const control = [(from[0] + to[0]) / 2 + 2 * bend * v, (from[1] + to[1]) / 2 - 2 * bend * u];
  const toward = (p) => { const l = Math.hypot(control[0] - p[0], control[1] - p[1]); return [p[0] + (RADIUS * (control[0] - p[0])) / l, p[1] + (RADIUS * (control[1] - p[1])) / l]; };
  const [start, end] = [toward(from), toward(to)];
  return `<path d="M${px(start[0])} ${px(start[1])}Q${px(control[0])} ${px(control[1])} ${px(end[0])} ${px(end[1])}" ${style}/>${tip(control, end, stroke, width)}${text((from[0] + to[0]) / 2 + (bend + 13) * v, (from[1] + to[1]) / 2 - (bend + 13) * u)}`;
}
function tip(before, end, stroke, width) {
  const l = Math.hypot(end[0] - before[0], end[1] - before[1]), [u, v] = [(end[0] - before[0]) / l, (end[1] - before[1]) / l];
  return `<path d="M${px(end[0] - 9 * u + 4.5 * v)} ${px(end[1] - 9 * v - 4.5 * u)}L${px(end[0])} ${px(end[1])}L${px(end[0] - 9 * u - 4.5 * v)} ${px(end[1] - 9 * v + 4.5 * u)}" stroke="${stroke}" stroke-width="${width}" fill="none"/>`;
}

module.exports = { Languages };

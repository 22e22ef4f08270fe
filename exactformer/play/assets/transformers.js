// The tab for transformers: sequences of points with labels, a construction, and how its layers act on them.
'use strict';
const { $, make, fill, announce, offer } = require('./dom.js');
const { read, nearest, write, snapped, plus, fraction, short } = require('./numbers.js');
const { COLOURS } = require('./palette.js');
const { verdict, withoutServer } = require('./panels.js');
const { Plane } = require('./plane.js');

const GRID = 10, SECONDS = 1.1, MOST_SEQUENCES = 40, MOST_POINTS = 100;
const SVG = 'http://www.w3.org/2000/svg';
const number = (text) => { const { n, d } = read(text) ?? { n: BigInt(text.split('/')[0]), d: BigInt(text.split('/')[1] ?? 1) }; return nearest(n, d); };
const px = (x) => x.toFixed(1);

const filled = (list, most) => Array.isArray(list) && list.length > 0 && list.length <= most;
/** Whether a value, of an address maybe, is sequences of points in the plane with labels. */
const isPoint = (row) => Array.isArray(row) && row.length === 2 && row.every((x) => typeof x === 'string' && read(x) !== null);
const isData = (data) => filled(data?.sequences, MOST_SEQUENCES) && data.sequences.every((s) => typeof s?.label === 'string' && filled(s.tokens, MOST_POINTS) && s.tokens.every(isPoint));

class Transformers {
  constructor(app) {
    Object.assign(this, { app, plane: new Plane(400, 360), chosen: 0, at: 0, answer: null, held: null });
    this.svg = $('data-picture');
    this.svg.addEventListener('pointerdown', (event) => this.down(event));
    this.svg.addEventListener('pointermove', (event) => this.move(event));
    this.svg.addEventListener('pointerup', () => this.up());
    this.svg.addEventListener('keydown', (event) => this.key(event));
    $('method').addEventListener('change', (event) => { app.state.method = event.target.value; this.changed(); });
    $('robust').addEventListener('change', (event) => { app.state.robust = event.target.checked; this.changed(); });
    $('moment').addEventListener('input', (event) => { this.stop(); this.go(Number(event.target.value)); });
    $('data-play').addEventListener('click', () => this.play());
    $('add-point').addEventListener('click', () => this.addPoint());
    $('add-sequence').addEventListener('click', () => this.addSequence());
    $('shared-data').addEventListener('click', () => { this.data = structuredClone(this.app.content.sequences); this.changed(); });
    addEventListener('resize', () => { if (app.state.tab === 'transformers') this.draw(); });
  }
  get data() { return this.app.state.data; }
  set data(data) { this.app.state.data = data; }

  open() {
    if (!isData(this.data)) this.data = structuredClone(this.app.content.sequences);
    $('method').value = this.app.state.method;
    $('robust').checked = this.app.state.robust;
    this.changed();
  }
  /** The data changed: build again. */
  async changed() {
    this.chosen = Math.min(this.chosen, this.data.sequences.length - 1);
    this.app.keep();
    this.answer = this.at > 0 ? this.answer : null;
    this.draw();
    const { method, robust } = this.app.state;
    if (!this.app.served) return this.withoutServer();
    try {
      const found = await this.app.server.newest('construct', this.data, { query: { method, robust: robust ? 'yes' : 'no' } });
      if (!found) return null;
      this.answer = found;
    } catch (problem) {
      this.answer = { problem: problem.message };
    }
    return this.draw();
  }

  /** Of the first data the answer is in the page. */
  withoutServer() {
    const first = JSON.stringify(this.data) === JSON.stringify(this.app.content.sequences) && this.app.state.method === 'shallow' && !this.app.state.robust;
    this.answer = first ? this.app.content.answers.construct : null;
    this.at = first ? this.at : 0;
    this.draw();
  }

  // ---- hands ---------------------------------------------------------------------------------------------------
  where(event) { const box = this.svg.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; }
  down(event) {
    const at = this.where(event), point = event.target.dataset?.point;
    this.stop();
    if (this.at > 0) this.go(0);
    if (point) {
      const [s, i] = point.split(',').map(Number);
      Object.assign(this, { held: { s, i }, chosen: s });
      this.svg.setPointerCapture(event.pointerId);
      event.target.focus({ preventScroll: true });
    } else this.addPoint(this.plane.point(...at).map((x) => write(snapped(x, GRID))));
    event.preventDefault();
    this.draw();
  }
  move(event) {
    if (!this.held) return;
    this.data.sequences[this.held.s].tokens[this.held.i] = this.plane.point(...this.where(event)).map((x) => write(snapped(x, GRID)));
    this.changed();
  }
  up() { this.held = null; }
  key(event) {
    const point = event.target.dataset?.point, along = { ArrowLeft: [0, -1n], ArrowRight: [0, 1n], ArrowUp: [1, 1n], ArrowDown: [1, -1n] }[event.key];
    if (!point) return;
    const [s, i] = point.split(',').map(Number), tokens = this.data.sequences[s].tokens;
    if (along) tokens[i] = tokens[i].map((x, c) => (c === along[0] ? write(plus(read(x), fraction(along[1], BigInt(GRID)))) : x));
    else if (event.key === 'Delete' || event.key === 'Backspace') this.remove(s, i);
    else return;
    event.preventDefault();
    this.changed();
  }
  remove(s, i) {
    const { sequences } = this.data;
    if (sequences[s].tokens.length > 1) sequences[s].tokens.splice(i, 1);
    else if (sequences.length > 1) sequences.splice(s, 1);
    else announce('One point has to stay.');
  }
  /** A new point of the chosen sequence; one that comes from a button lies to the right of the last one. */
  addPoint(row) {
    const { tokens } = this.data.sequences[this.chosen];
    if (tokens.length >= MOST_POINTS) return announce(`A sequence has at most ${MOST_POINTS} points here.`);
    const [x, y] = tokens.at(-1);
    tokens.push(row ?? [write(plus(read(x), fraction(1n, 2n))), y]);
    this.changed();
    return this.svg.querySelector(`[data-point="${this.chosen},${tokens.length - 1}"]`)?.focus({ preventScroll: true });
  }
  addSequence() {
    if (this.data.sequences.length >= MOST_SEQUENCES) return announce(`At most ${MOST_SEQUENCES} sequences are shown.`);
    this.data.sequences.push({ label: 'cat', tokens: [['1/2', '1/2']] });
    this.chosen = this.data.sequences.length - 1;
    return this.changed();
  }

  // ---- looking -------------------------------------------------------------------------------------------------
  get last() { return this.answer?.feasible ? this.answer.states.length - 1 : 0; }
  go(k) { this.at = Math.max(0, Math.min(k, this.last)); this.draw(); }
  play() {
    if (this.playing) return this.stop();
    const begin = this.at >= this.last ? 0 : this.at, started = performance.now();
    const frame = (now) => {
      this.at = Math.min(this.last, begin + Math.max(0, now - started) / 1000 / SECONDS);
      this.draw();
      if (this.at >= this.last) this.stop();
      else if (this.playing) this.playing = requestAnimationFrame(frame);
    };
    this.playing = requestAnimationFrame(frame);
    return this.draw();
  }
  stop() {
    if (!this.playing) return;
    cancelAnimationFrame(this.playing);
    this.playing = null;
    this.at = Math.round(this.at);
    this.draw();
  }
  /** The points of all sequences at the present moment, which may lie between two layers. */
  points() {
    const start = this.data.sequences.map((sequence) => sequence.tokens.map((row) => row.map(number)));
    if (!this.answer?.feasible || this.at === 0) return start;
    const { states } = this.answer, k = Math.min(Math.floor(this.at), this.last), next = Math.min(k + 1, this.last), share = this.at - k;
    return states[k].map((rows, s) => rows.map((row, i) => row.map((x, c) => { const a = number(x); return a + share * (number(states[next][s][i][c]) - a); })));
  }
  labels() { return [...new Set(this.data.sequences.map((sequence) => sequence.label))]; }
  colour(s) { return COLOURS[this.labels().indexOf(this.data.sequences[s].label) % COLOURS.length]; }

  draw() {
    const box = this.svg.parentElement.getBoundingClientRect();
    if (!box.width) return;
    Object.assign(this.plane, { width: box.width, height: box.height });
    const points = this.points(), theme = this.app.theme(), ends = this.answer?.feasible ? this.answer.states.at(-1).flat().map((row) => row.map(number)) : [];
    if (!this.held) this.plane.fit([...points.flat(), ...ends]);
    this.svg.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`);
    const focused = document.activeElement?.dataset?.point;
    this.svg.innerHTML = this.picture(points, theme);
    if (focused) this.svg.querySelector(`[data-point="${focused}"]`)?.focus({ preventScroll: true });
    $('moment').max = this.last;
    $('moment').value = Math.round(this.at);
    $('moment-name').textContent = this.answer?.moments?.[Math.floor(this.at)] ?? 'the data';
    $('data-play').textContent = this.playing ? '\u275a\u275a' : '\u25b6';
    $('data-legend').textContent = 'One colour per label. Lines join the points of a sequence; squares are the points of the labels, where every sequence must end.';
    this.cards();
  }
  picture(points, theme) {
    const at = (row) => this.plane.screen(row), zero = at([0, 0]), parts = [`<rect width="${this.plane.width}" height="${this.plane.height}" fill="${theme.paper}"/>`];
    parts.push(`<path d="M0 ${px(zero[1])}H${this.plane.width}M${px(zero[0])} 0V${this.plane.height}" stroke="${theme.axis}"/>`);
    const ends = this.answer?.feasible ? this.answer.states.at(-1) : [];
    ends.forEach((rows, s) => { const [x, y] = at(rows[0].map(number)); parts.push(`<rect x="${px(x - 12)}" y="${px(y - 12)}" width="24" height="24" fill="none" stroke="${this.colour(s)}" stroke-width="2"/>`); });
    points.forEach((rows, s) => {
      const middle = [0, 1].map((c) => rows.reduce((total, row) => total + row[c], 0) / rows.length), [a, b] = at(middle);
      const rays = rows.map((row) => { const [x, y] = at(row); return `M${px(a)} ${px(b)}L${px(x)} ${px(y)}`; }).join('');
      parts.push(`<path d="${rays}" stroke="${this.colour(s)}" stroke-width="${s === this.chosen ? 2.5 : 1.2}" opacity="0.6" fill="none"/>`);
    });
    const order = [...points.keys()].sort((s, t) => (s === this.chosen) - (t === this.chosen)); // the chosen one on top
    order.forEach((s) => points[s].forEach((row, i) => {
      const [x, y] = at(row), offset = this.at === 0 ? this.shift(s, i) : 0;
      parts.push(`<circle cx="${px(x + offset)}" cy="${px(y)}" r="${s === this.chosen ? 8 : 6.5}" fill="${this.colour(s)}" stroke="${theme.edge}" stroke-width="1.5"/>`);
      if (this.at === 0) parts.push(`<circle class="handle" data-point="${s},${i}" tabindex="0" role="button" aria-label="sequence ${s + 1}, point ${i + 1} at (${this.data.sequences[s].tokens[i].join(', ')})" cx="${px(x + offset)}" cy="${px(y)}" r="13"/>`);
    }));
    return parts.join('');
  }
  /** Equal points of several sequences stand side by side. */
  shift(s, i) {
    const key = this.data.sequences[s].tokens[i].join(), all = this.data.sequences.flatMap((sequence, t) => sequence.tokens.map((row, j) => [row.join(), t, j])).filter(([text]) => text === key);
    return 9 * (all.findIndex(([, t, j]) => t === s && j === i) - (all.length - 1) / 2);
  }

  cards() {
    const sequence = ({ label, tokens }, s) => make('div', { class: s === this.chosen ? 'sequence chosen' : 'sequence' },
      make('label', { class: 'switch' }, make('input', { type: 'radio', name: 'chosen', checked: s === this.chosen, 'aria-label': `choose sequence ${s + 1}`, onchange: () => { this.chosen = s; this.draw(); } }), swatch(this.colour(s)), ` ${s + 1}: ${tokens.length} points`),
      make('input', { type: 'text', value: label, 'aria-label': `label of sequence ${s + 1}`, maxlength: 30, onchange: (event) => { this.data.sequences[s].label = event.target.value; this.changed(); } }),
      make('button', { class: 'link', onclick: () => { this.data.sequences.splice(s, 1); this.changed(); }, disabled: this.data.sequences.length < 2 }, 'Remove'));
    const fields = () => [...$('sequences').querySelectorAll('input, button')], focused = fields().indexOf(document.activeElement);
    const typing = document.activeElement.type === 'text' && focused >= 0 && document.activeElement.value !== this.data.sequences[Math.floor(focused / 3)]?.label; // three fields each
    if (!typing) fill($('sequences'), this.data.sequences.map(sequence));
    if (!typing && focused >= 0) fields()[Math.min(focused, fields().length - 1)].focus();
    fill($('construction'), ...this.construction());
  }
  construction() {
    const { answer } = this;
    if (!answer && !this.app.served) return withoutServer('Transformers for data of your own are built, and proved, by the Python library:');
    if (!answer) return [make('p', { class: 'soft' }, 'Building\u2026')];
    if (answer.problem || answer.undecided) return [make('p', { class: 'no' }, answer.problem ?? answer.undecided)];
    if (!answer.feasible) return [make('p', {}, make('span', { class: 'badge no' }, 'no transformer exists')), ...answer.reasons.map((reason) => make('p', {}, reason.why))];
    const { report } = answer, row = (name, value) => make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, value));
    return [make('p', {}, make('span', { class: 'badge yes' }, 'exact on all sequences'), ' ', verdict(answer.verdict)),
      make('table', {}, row('blocks', `${report.blocks} (the existence theorem: at most ${report.paper_bound})`), row('width', String(report.width)), row('numbers', String(report.parameters)), row('bits of the longest', String(report.max_bits)), row('margin', short(report.margin))),
      this.app.served ? make('div', { class: 'bar' }, make('button', { class: 'main', onclick: () => this.certificate() }, 'Download the certificate')) : null];
  }
  async certificate() {
    const { method, robust } = this.app.state;
    try {
      offer('transformer.jsonl', await this.app.server.ask('transformer', this.data, { query: { method, robust: robust ? 'yes' : 'no' }, file: true }));
      announce('Check it with: proofs-check transformer.jsonl');
    } catch (problem) {
      announce(problem.message);
    }
  }
}

function swatch(colour) {
  const picture = document.createElementNS(SVG, 'svg'), disc = document.createElementNS(SVG, 'circle');
  picture.setAttribute('viewBox', '0 0 20 20');
  picture.setAttribute('class', 'swatch');
  for (const [name, value] of Object.entries({ cx: 10, cy: 10, r: 7, fill: colour })) disc.setAttribute(name, value);
  picture.append(disc);
  return picture;
}

module.exports = { Transformers };

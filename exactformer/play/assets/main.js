// The page: what is on the screen, what is asked of the worker and the server, and what is drawn.
'use strict';
const { limits } = require('./budget.js');
const { $, announce } = require('./dom.js');
const { Asks } = require('./asks.js');
const { Hands } = require('./hands.js');
const { whyNotDefinite } = require('./matrices.js');
const { read, nearest, fraction, write } = require('./numbers.js');
const { LIGHT, DARK } = require('./palette.js');
const { proofCard, floatCard, tokenTable, statementCard, matrixFields } = require('./panels.js');
const { picture } = require('./picture.js');
const { Plane } = require('./plane.js');
const { sceneAt, ellipseOf } = require('./scene.js');
const { Server } = require('./server.js');
const { Transformers } = require('./transformers.js');
const { Languages } = require('./languages.js');
const { controls } = require('./controls.js');
const { TURNS, MOST_TOKENS, toHash, fromHash, fromFile, toFile, identity, isIdentity, mirrored, turned, inDimension, canonical, History } = require('./state.js');

const LAYERS = 40;
const SECONDS_A_LAYER = 0.45;
const CORNER = 56; // pixels that the buttons in the corner take

class App extends Asks {
  constructor(content, source) {
    super();
    Object.assign(this, { content, selected: null, lit: new Set(), at: 0, result: null, proof: null, statements: null, hunted: null });
    this.served = content.served;
    this.server = new Server(content.served);
    this.history = new History();
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    const box = $('stage').getBoundingClientRect();
    this.plane = new Plane(box.width, box.height);
    this.worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
    this.worker.onmessage = (event) => this.computed(event.data);
    this.layersGroup = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    this.handlesGroup = document.createElementNS('http://www.w3.org/2000/svg', 'g');
    $('picture').append(this.layersGroup, this.handlesGroup);
    this.hands = new Hands(this);
    this.tabs = { transformers: new Transformers(this), languages: new Languages(this) };
    for (const tab of document.querySelectorAll('[role=tab]')) tab.addEventListener('click', () => this.showTab(tab.dataset.tab, true));
    document.querySelector('[role=tablist]').addEventListener('keydown', (event) => this.nextTab(event));
  }

  // ---- tabs ----------------------------------------------------------------------------------------------------
  showTab(name, keep = false) {
    this.state.tab = name;
    this.stop();
    for (const tab of document.querySelectorAll('[role=tab]')) {
      const chosen = tab.dataset.tab === name;
      tab.setAttribute('aria-selected', chosen);
      tab.tabIndex = chosen ? 0 : -1;
      $(tab.dataset.tab).hidden = !chosen;
    }
    if (keep && name === 'tokens') this.askServer();
    this.tabs[name]?.open();
    if (keep) this.keep();
    this.draw();
  }
  nextTab(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], tabs = [...document.querySelectorAll('[role=tab]')];
    if (!by) return;
    const next = tabs[(tabs.indexOf(document.activeElement) + by + tabs.length) % tabs.length];
    next.focus();
    this.showTab(next.dataset.tab, true);
  }

  // ---- loading -------------------------------------------------------------------------------------------------
  /** Shows the state of the address, or the file of the command line, or the first preset that is worth a look. */
  open() {
    const { state, refused } = fromHash(location.hash);
    this.state = state;
    this.draft = null;
    $('matrix-problem').textContent = refused ?? '';
    this.plane.turn = state.turn;
    if (this.state.preset) this.usePreset(this.state.preset, this.state.tokens.length > 0);
    if (!this.state.tokens.length && this.content.start) Object.assign(this.state, fromFile(JSON.stringify(this.content.start)));
    else if (!this.state.tokens.length) this.usePreset('tilted square');
    this.plane.dim = this.dim;
    this.at = this.state.layer;
    this.refit = true;
    this.history.push(this.instance());
    this.showTab(this.state.tab);
    this.changed();
  }
  get dim() { return this.state.tokens[0]?.length ?? 2; }
  instance() { const { tokens, A, alpha } = this.state; return { tokens, A, alpha }; }
  matrix() { return this.state.A ?? identity(this.dim); }
  presetNamed(name) { return this.content.presets.flatMap((group) => group.members).find((member) => member.name === name); }

  usePreset(name, keepTokens = false) {
    const preset = this.presetNamed(name);
    if (!preset) { this.state.preset = ''; return; }
    this.state.preset = name;
    if (keepTokens) return;
    this.state.dial = Math.min(this.state.dial, (preset.values?.length ?? 1) - 1);
    Object.assign(this.state, fromFile(JSON.stringify(preset.file ?? preset.values[this.state.dial].file)), { layer: 0 });
    this.at = 0;
    if (preset.float) this.state.float = true;
  }
  choosePreset(name, dial = 0) {
    this.state.dial = dial;
    if (name) this.usePreset(name);
    else this.state.preset = '';
    this.reload();
  }
  turnDial(value) {
    this.state.dial = value;
    const { layer } = this.state;
    this.usePreset(this.state.preset);
    this.state.layer = this.at = layer;
    this.changed();
    this.commit();
  }
  /** Another instance, as a token file. */
  load(file) {
    Object.assign(this.state, fromFile(JSON.stringify(file)), { layer: 0, preset: '' });
    this.reload();
  }
  reload() {
    this.stop();
    [this.at, this.selected, this.refit] = [this.state.layer, null, true];
    this.forgetDraft();
    this.plane.dim = this.dim;
    this.lit.clear();
    this.changed();
    this.commit();
  }

  // ---- edits ---------------------------------------------------------------------------------------------------
  edit(change) {
    Object.assign(this.state, change);
    if (!('preset' in change)) this.state.preset = '';
    if ('A' in change) this.forgetDraft();
    this.lit.clear();
    this.changed();
  }
  moveToken(i, row) { this.edit({ tokens: this.state.tokens.map((old, j) => (j === i ? row : old)) }); }
  addToken(row = this.freePlace()) {
    if (this.state.tokens.length >= MOST_TOKENS) return announce(`At most ${MOST_TOKENS} tokens are shown.`);
    this.edit({ tokens: [...this.state.tokens, row] });
    this.select(this.state.tokens.length - 1);
    this.commit();
    return this.draw(() => this.hands.focus(this.state.tokens.length - 1));
  }
  /** A place for a token that comes from a button: half of the way to the last one, on the grid. */
  freePlace() {
    const last = this.state.tokens.at(-1) ?? Array(this.dim).fill('1');
    const half = last.map((x) => { const { n, d } = read(x); return write(fraction(n, 2n * d)); });
    return this.state.tokens.some((row) => row.join() === half.join()) ? last.map(() => '1') : half;
  }
  removeToken() {
    const i = this.selected;
    if (i === null) return announce('Choose a token first.');
    if (this.state.tokens.length === 1) return announce('One token has to stay.');
    this.edit({ tokens: this.state.tokens.filter((_, j) => j !== i) });
    this.select(null);
    announce(`Token ${i} deleted.`);
    return this.commit();
  }
  duplicate() { if (this.selected === null) announce('Choose a token first.'); else this.addToken(this.state.tokens[this.selected]); }
  mirror(axis) {
    if (this.selected === null) announce('Choose a token first.');
    else if (axis < this.dim) this.addToken(mirrored(this.state.tokens[this.selected], axis));
  }
  turn(index) { this.edit({ tokens: turned(this.state.tokens, TURNS[index]) }); this.refit = true; this.commit(); }
  setDimension(d) {
    this.edit({ tokens: inDimension(this.state.tokens, d), A: null });
    this.reload();
  }
  setAlpha(text) {
    const value = read(text);
    if (value === null || value.n <= 0n) return false;
    this.edit({ alpha: write(value), preset: this.state.preset === 'leaders depend on alpha' ? '' : this.state.preset });
    return true;
  }
  /** A new matrix, unless there is a reason against it, which is told. */
  setMatrix(A, reason) {
    if (reason) { $('matrix-problem').textContent = reason; return; }
    this.edit({ A: isIdentity(A) ? null : A });
  }
  typed(i, c, field) {
    const text = canonical(field.value);
    field.classList.toggle('bad', text === null);
    if (text === null) return announce(`${field.value} is not a number; write 3, -1/2 or 0.1.`);
    this.moveToken(i, this.state.tokens[i].map((old, k) => (k === c ? text : old)));
    field.value = text;
    return this.commit();
  }
  /** Typed entries wait in a draft until together they are a matrix that is positive definite. */
  typedMatrix(i, c, field) {
    const A = (this.draft ?? this.matrix()).map((row) => [...row]), text = canonical(field.value);
    field.classList.toggle('bad', text === null);
    if (text === null) return announce(`${field.value} is not a number; write 3, -1/2 or 0.1.`);
    A[i][c] = A[c][i] = text;
    const reason = whyNotDefinite(A);
    this.draft = A;
    this.setMatrix(A, reason && `${reason} The last matrix stays until the entries are one that is.`);
    return reason ? this.draw() : this.commit();
  }
  forgetDraft() {
    this.draft = null;
    $('matrix-problem').textContent = '';
  }
  undo(by) {
    const instance = this.history.step(by);
    if (!instance) return;
    this.edit(instance);
    if (this.selected >= instance.tokens.length) this.selected = null;
    if (this.plane.dim !== this.dim || this.plane.loses(this.start)) this.refit = true;
    this.plane.dim = this.dim;
    this.keep();
  }
  /** The end of a gesture: remembered for undo, and in the address. */
  commit() {
    this.history.push(this.instance());
    if (this.result && this.plane.loses(this.start)) this.refit = true;
    this.keep();
    this.draw();
  }
  keep() {
    history.replaceState(null, '', toHash(this.state) || location.pathname);
    this.report();
  }

  // ---- computing -----------------------------------------------------------------------------------------------
  /** The tokens changed: start again. At most one question is with the worker; of several, the last one counts. */
  changed() {
    this.start = this.state.tokens.map((row) => row.map((x) => { const { n, d } = read(x); return nearest(n, d); }));
    this.pending = { id: (this.question = (this.question ?? 0) + 1), instance: this.instance(), last: LAYERS };
    this.proofStale = true;
    this.askWorker();
    this.askServer();
    this.draw();
  }
  askWorker() {
    if (this.busy || !this.pending) return;
    this.busy = true;
    this.worker.postMessage(this.pending);
    this.pending = null;
  }
  computed(answer) {
    this.busy = false;
    $('problem').hidden = !answer.error;
    $('problem').textContent = answer.error ?? '';
    if (!answer.error) this.result = answer;
    this.askWorker();
    if (answer.error || !answer.exact.length) return;
    this.size = Math.max(...this.start.flat().map(Math.abs), 1e-9);
    $('layer').max = answer.exact.length - 1;
    this.setLayer(Math.min(this.state.layer, answer.exact.length - 1), true);
  }

  // ---- looking -------------------------------------------------------------------------------------------------
  select(i) { this.selected = i; this.draw(); }
  setLayer(k, quiet = false) {
    const last = (this.result?.exact.length ?? LAYERS + 1) - 1;
    this.state.layer = Math.max(0, Math.min(k, last));
    if (!this.playing) this.at = this.state.layer;
    if (!quiet) this.keep();
    this.draw();
  }
  toggleFloat() { this.state.float = !this.state.float; this.keep(); this.draw(); }
  zoom(factor) { this.plane.zoom(factor); this.draw(); }
  fit() { this.refit = true; this.draw(); }
  /** Turns the view of space by two angles. */
  lookAround(yaw, pitch) {
    const [x, y] = this.state.turn, rounded = (angle) => Math.round(1000 * angle) / 1000;
    this.plane.turn = this.state.turn = [rounded(x + yaw), rounded(Math.max(-1.5, Math.min(1.5, y + pitch)))];
    this.draw();
  }
  light({ witness, name }) {
    const found = [witness.token, ...(Array.isArray(witness.leaders) ? witness.leaders : [])].filter(Number.isInteger);
    this.setLayer(Number.isInteger(witness.layers) ? witness.layers : this.state.layer);
    this.lit = new Set(found);
    const beyond = witness.layers > LAYERS ? `, which is beyond the layers drawn` : '';
    announce(`${name}: ${found.length ? `token ${found.join(', ')}` : 'all tokens'}${Number.isInteger(witness.layers) ? ` at layer ${witness.layers}${beyond}` : ''}.`);
  }
  play() {
    if (this.playing) return this.stop();
    const last = this.result.exact.length - 1;
    const begin = this.state.layer >= last ? 0 : this.state.layer, started = performance.now();
    const frame = (now) => {
      this.at = Math.min(last, begin + Math.max(0, now - started) / 1000 / SECONDS_A_LAYER);
      this.state.layer = Math.floor(this.at);
      this.draw();
      if (this.at >= last) this.stop();
      else if (this.playing) this.playing = requestAnimationFrame(frame);
    };
    this.playing = requestAnimationFrame(frame);
    return this.draw();
  }
  stop() {
    if (!this.playing) return;
    cancelAnimationFrame(this.playing);
    this.playing = null;
    this.at = this.state.layer;
    this.keep();
    this.draw();
  }
  describe(i) {
    const layer = this.result?.exact[0], C = layer?.follows[i];
    const follows = !C ? '' : C.length === 1 && C[0] === i ? ', a leader' : `, follows ${C.join(' and ')}`;
    return `token ${i} at (${this.state.tokens[i].join(', ')})${follows}`;
  }

  // ---- drawing -------------------------------------------------------------------------------------------------
  /** Draws once before the next frame, however often it is asked for. */
  draw(after) {
    if (after) (this.afterwards ??= []).push(after);
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = null; this.render(); });
  }
  render() {
    if (this.state.tab !== 'tokens') return;
    const { plane } = this, box = $('stage').getBoundingClientRect();
    if (box.width) Object.assign(plane, { width: box.width, height: box.height });
    if (this.refit) { plane.fit(this.start, CORNER); this.refit = false; }
    this.ellipse = $('ellipse').checked && this.dim === 2 ? ellipseOf(this.matrix(), plane) : null;
    $('picture').setAttribute('viewBox', `0 0 ${plane.width} ${plane.height}`);
    if (this.result?.exact.length) {
      const scene = sceneAt(this, this.at);
      this.shown = scene.points;
      this.layersGroup.innerHTML = picture(scene);
    }
    this.hands.place(this.handlesGroup);
    this.controls();
    tokenTable(this);
    proofCard(this);
    floatCard(this);
    statementCard(this);
    matrixFields(this);
    const after = this.afterwards ?? [];
    this.afterwards = [];
    after.forEach((act) => act());
  }
}

/** Starts the page; `source` is this script, from which the worker is made. */
function begin(source) {
  limits.operations = Infinity; // of this thread; the worker's is set for every question
  const app = new App(JSON.parse($('content').textContent), source);
  app.theme = () => (app.dark.matches ? DARK : LIGHT);
  controls(app);
  app.open();
  app.dark.addEventListener('change', () => app.draw());
  addEventListener('resize', () => app.draw());
  addEventListener('hashchange', () => app.open());
  window.app = app;
}

module.exports = { begin };

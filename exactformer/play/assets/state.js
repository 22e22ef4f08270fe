// What is on the screen, as plain data: how it is edited, undone, and written into the address of the page.
'use strict';
const { whyNotDefinite } = require('./matrices.js');
const { read, write, fraction, plus, times, negative } = require('./numbers.js');

//: the instance is what is computed and undone; the rest is how it is looked at
const START = {
  tab: 'tokens', tokens: [], A: null, alpha: '1/2', layer: 0, grid: 10, float: false, preset: '', dial: 0,
  turn: [0.6, 0.35], expression: '(ab)*', word: 'abab', data: null, method: 'shallow', robust: false,
};
const KEPT = { alpha: String, layer: Number, grid: Number, preset: String, dial: Number, tab: String, expression: String, word: String, method: String };
//: angles (p, q, r) with cosine p/r and sine q/r, so that turned tokens stay rational
const TURNS = [[3, 4, 5], [5, 12, 13], [8, 15, 17], [7, 24, 25], [20, 21, 29], [12, 35, 37], [9, 40, 41]];
const MOST_TOKENS = 500;

const canonical = (text) => { const value = read(text); return value === null ? null : write(value); };
const rowsOf = (text) => text.split(';').filter(Boolean).map((row) => row.split(',').map(canonical));
const textOf = (rows) => rows.map((row) => row.join(',')).join(';');
const square = (rows, d) => rows.length === d && rows.every((row) => row.length === d && row.every(Boolean));

/** The address's fragment for a state; what is as at the start is left out. */
function toHash(state) {
  const parts = [];
  if (state.tokens.length) parts.push(`tokens=${textOf(state.tokens)}`);
  if (state.A) parts.push(`A=${textOf(state.A)}`);
  for (const key of Object.keys(KEPT)) {
    if (state[key] !== START[key]) parts.push(`${key}=${encodeURIComponent(state[key]).replaceAll('%2F', '/')}`);
  }
  for (const key of ['float', 'robust']) if (state[key]) parts.push(`${key}=yes`);
  if (state.turn.join() !== START.turn.join()) parts.push(`turn=${state.turn.join()}`);
  if (state.data) parts.push(`data=${encodeURIComponent(JSON.stringify(state.data))}`);
  return parts.length ? `#${parts.join('&')}` : '';
}

/** The state that a fragment describes, what cannot be read as at the start; and why its matrix is refused, if it is. */
function fromHash(hash) {
  const state = { ...START }, fields = new URLSearchParams(hash.replace(/^#/, '').replaceAll('+', '%2B'));
  const tokens = rowsOf(fields.get('tokens') ?? '');
  const d = tokens[0]?.length;
  if (tokens.length && tokens.length <= MOST_TOKENS && tokens.every((row) => row.length === d && row.every(Boolean))) state.tokens = tokens;
  const A = rowsOf(fields.get('A') ?? '');
  const refused = square(A, d) ? whyNotDefinite(A) : null;
  if (square(A, d) && !refused) state.A = A;
  for (const [key, type] of Object.entries(KEPT)) {
    if (fields.has(key)) state[key] = type(fields.get(key));
  }
  for (const key of ['float', 'robust']) state[key] = fields.get(key) === 'yes';
  const alpha = read(state.alpha);
  state.alpha = alpha && alpha.n > 0n ? write(alpha) : START.alpha;
  for (const key of ['layer', 'dial']) state[key] = Number.isInteger(state[key]) && state[key] >= 0 ? state[key] : 0;
  if (!(Number.isInteger(state.grid) && state.grid >= 1 && state.grid <= 1e6)) state.grid = START.grid;
  if (!['tokens', 'transformers', 'languages'].includes(state.tab)) state.tab = START.tab;
  const turn = (fields.get('turn') ?? '').split(',').map(Number);
  if (turn.length === 2 && turn.every(Number.isFinite)) state.turn = turn;
  try { state.data = JSON.parse(fields.get('data')); } catch { state.data = null; }
  return { state, refused };
}

/** A token file -> tokens, A and alpha as canonical texts; an error says what is wrong. */
function fromFile(text) {
  const content = JSON.parse(text);
  if (!content?.tokens) throw new Error('expected a token file with "tokens"');
  const number = (value, where) => canonical(value) ?? (() => { throw new Error(`${where}: expected a rational number, got ${JSON.stringify(value)}`); })();
  const rows = (list, name) => {
    if (!Array.isArray(list) || !list.every(Array.isArray)) throw new Error(`${name}: expected rows of numbers, such as [["1", "1/2"], ["0", "3"]]`);
    return list.map((row, i) => row.map((x, c) => number(x, `${name}[${i}][${c}]`)));
  };
  const tokens = rows(content.tokens, 'tokens'), A = content.A ? rows(content.A, 'A') : null;
  const alpha = number(content.alpha ?? '1', 'alpha'), problem = whyNotShown(tokens, A, alpha);
  if (problem) throw new Error(problem);
  return { tokens, A: A && !isIdentity(A) ? A : null, alpha };
}
/** What is wrong with tokens, a matrix and alpha that come from outside; null if nothing is. */
function whyNotShown(tokens, A, alpha) {
  const d = tokens[0]?.length ?? 0;
  if (!d) return 'expected at least one token with at least one coordinate';
  if (tokens.length > MOST_TOKENS) return `the page shows at most ${MOST_TOKENS} tokens, got ${tokens.length}`;
  if (tokens.some((row) => row.length !== d)) return 'the tokens have different numbers of coordinates';
  if (read(alpha).n <= 0n) return `alpha: expected a positive number, got ${alpha}`;
  if (A && !square(A, d)) return `A: expected ${d} rows of ${d} numbers`;
  return A ? whyNotDefinite(A) : null;
}
const isIdentity = (A) => A.every((row, i) => row.every((x, c) => x === (i === c ? '1' : '0')));
const identity = (d) => Array.from({ length: d }, (_, i) => Array.from({ length: d }, (_, c) => (i === c ? '1' : '0')));

/** The token file of a state. */
const toFile = ({ tokens, A, alpha }) => ({ exactformer: 'tokens', version: [1, 0], ...(A ? { A } : {}), alpha, tokens });

/** The mirror image of a token: one coordinate negated. */
const mirrored = (row, axis) => row.map((x, c) => (c === axis ? write(negative(read(x))) : x));

/** Tokens turned in the plane of their first two coordinates. */
function turned(tokens, [p, q, r]) {
  const cosine = fraction(BigInt(p), BigInt(r)), sine = fraction(BigInt(q), BigInt(r));
  return tokens.map((row) => {
    if (row.length < 2) return row;
    const [x, y] = row.map(read);
    const first = plus(times(cosine, x), negative(times(sine, y))), second = plus(times(sine, x), times(cosine, y));
    return [write(first), write(second), ...row.slice(2)];
  });
}

/** Tokens with so many coordinates: zeros are added, or the last ones are left out. */
const inDimension = (tokens, d) => tokens.map((row) => [...row, '0', '0', '0'].slice(0, d));

/** Undo and redo: a list of instances and the place in it. */
class History {
  constructor() { [this.list, this.at] = [[], -1]; }
  push(instance) {
    const text = JSON.stringify(instance);
    if (text === this.list[this.at]) return;
    this.list = [...this.list.slice(Math.max(0, this.at - 200), this.at + 1), text];
    this.at = this.list.length - 1;
  }
  step(by) {
    if (!this.can(by)) return null;
    this.at += by;
    return JSON.parse(this.list[this.at]);
  }
  can(by) { return this.at + by >= 0 && this.at + by < this.list.length; }
}

module.exports = { START, TURNS, MOST_TOKENS, toHash, fromHash, fromFile, toFile, identity, isIdentity, mirrored, turned, inDimension, canonical, History };

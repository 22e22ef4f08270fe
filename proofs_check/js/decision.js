// The claim `decision` of FORMAT.md: the sign of b + <v, mean of all tokens> after K layers, and the leaders.
// A state is a list of rows { num, den, weight }, one for each token; `weight` is its count.
'use strict';
const { spent, refuse, spend, within } = require('./budget.js');
const { malformed, fields, number, vector } = require('./reader.js');
const { selfAttention, rowOf, sum, reduced } = require('./transformer.js');

const rejected = (why) => refuse('rejected', why);
const same = (x, y) => x.den === y.den && x.num.every((entry, i) => entry === y.num[i]);
/** Rows in lowest terms and within the limits: equal places are equal rows. */
function tidy({ num, den, weight }) {
  const row = reduced({ num, den });
  [row.den, ...row.num].forEach(within);
  return { ...row, weight };
}
const text = ({ n, d }) => (d === 1n ? `${n}` : `${n}/${d}`);
const lowest = (n, d) => { const r = reduced({ num: [n], den: d }); return { n: r.num[0], d: r.den }; };

/** The mean of rows, each counted by its weight. */
function mean(rows) {
  spend(40 * rows.length * (rows[0].num.length + 1));
  const scaled = rows.map(({ num, den, weight }) => ({ num: num.map((x) => x * weight), den }));
  const total = scaled.reduce((x, y) => sum(x, y)), weight = rows.reduce((n, row) => n + row.weight, 0n);
  return tidy({ num: total.num, den: total.den * weight, weight });
}
/** b + <v, x> times a positive integer. */
const value = ({ v, b }, x) => v.num.reduce((n, entry, i) => n + entry * x.num[i], 0n) * b.d + b.n * v.den * x.den;
/** The indices of the rows that follow rows at their own place only. */
const leading = (state, followed) => new Set(
  [...state.keys()].filter((i) => followed[i].every((row) => same(row, state[i]))),
);
/** Symmetric and positive definite, by elimination in integers: every pivot is positive. */
function definite(rows) {
  const flat = rowOf(rows.flat()), d = rows.length;
  const M = rows.map((_, i) => flat.num.slice(i * d, (i + 1) * d));
  if (M.some((row, i) => row.some((x, j) => x !== M[j][i]))) return false;
  for (let k = 0, before = 1n; k < d; before = M[k][k], k++) {
    if (M[k][k] <= 0n) return false;
    spend((d - k) ** 2);
    for (let i = k + 1; i < d; i++) {
      M[i] = M[i].map((x, j) => (j < k ? x : within((M[k][k] * x - M[i][k] * M[k][j]) / before)));
    }
  }
  return true;
}
/** The tokens' limits where every C_i is locked: its rows lead, and maximise <A c, .> for their mean c. */
function limits(state, followed, lead, scoresFrom) {
  const places = new Set(state.filter((_, i) => lead.has(i)));
  return state.map((row, i) => {
    if (followed[i].some((one) => !places.has(one))) rejected('a token is not locked');
    const c = mean(followed[i]), best = new Set(scoresFrom(c));
    if (followed[i].some((one) => !best.has(one))) rejected('leaders do not maximise <A c, .>');
    return { ...c, weight: row.weight };
  });
}
function readDecoder(line, { dim, tokens }) {
  const [counts, v, b, words] = fields(line, ['counts', 'v', 'b', 'words'], 'decoder line');
  for (const list of [counts, words]) {
    if (!Array.isArray(list) || list.length !== tokens) malformed(`expected a list of ${tokens} entries`);
  }
  if (!counts.every((m) => Number.isInteger(m) && m >= 1)) malformed('counts are integers >= 1');
  if (!words.every((word) => typeof word === 'string' && !/\p{Surrogate}/u.test(word))) malformed('words are strings');
  return { counts: counts.map(BigInt), v: rowOf(vector(v, dim, 'v')), b: number(b) };
}
function readSystem(line, { dim, tokens }) {
  const [A, alpha, points] = fields(line, ['A', 'alpha', 'tokens'], 'system line'), step = number(alpha);
  if (!Array.isArray(A) || A.length !== dim) malformed(`A: expected ${dim} rows`);
  if (!Array.isArray(points) || points.length !== tokens) malformed(`tokens: expected ${tokens} points`);
  const matrix = A.map((row) => vector(row, dim, 'A'));
  const places = points.map((point) => rowOf(vector(point, dim, 'tokens')));
  if (step.n <= 0n) rejected('alpha must be positive');
  if (new Set(places.map(({ num, den }) => `${num}/${den}`)).size < tokens) rejected('two tokens are equal');
  return { A, matrix, step, places };
}
/** The attention z_i -> (1-a) z_i + a mean of C_i with the scores <A z_i, z_j>, a = alpha/(1+alpha). */
function layerOf({ A, step }, dim) {
  const total = step.n + step.d, scalar = (x) => new Map([['scalar', x]]);
  return selfAttention(new Map([
    ['rho', text(lowest(step.d, total))], ['V', scalar(text(lowest(step.n, total)))], ['Q', A], ['K', scalar('1')],
  ]), dim);
}
function readDecision(line, tokens) {
  const deeper = line instanceof Map && line.has('deeper');
  const keys = ['leaders', 'positive', ...(deeper ? ['deeper'] : [])];
  const [leaders, positive, every] = fields(line, keys, 'decision line');
  const increasing = Array.isArray(leaders)
    && leaders.every((i, k) => Number.isInteger(i) && i < tokens && (k === 0 || leaders[k - 1] < i));
  if (!increasing) malformed('leaders: expected increasing indices of tokens');
  if (typeof positive !== 'boolean') malformed('positive: expected true or false');
  if (deeper && every !== true) malformed('deeper: expected true where it stands');
  return { leaders, positive, deeper };
}
/** Returns the facts if every obligation of the claim was discharged; `next` and `subject` read a line. */
function decision(header, next, subject) {
  const { dim, tokens, layers } = header;
  const system = readSystem(subject(), header), decoder = readDecoder(subject(), header);
  const part = layerOf(system, dim), found = new Set();
  let state = system.places.map((row, i) => ({ ...row, weight: decoder.counts[i] }));
  const held = spent.memory;
  for (let k = 0; k < layers; k++, spent.memory = held) { // the layer before is forgotten
    spend(300 + 100 * tokens * (dim + 2)); // beside what the attention charges
    const followed = part.followed(state);
    for (const i of leading(state, followed)) found.add(i);
    state = part.apply(state, followed).map((row, i) => tidy({ ...row, weight: state[i].weight }));
  }
  const stated = readDecision(next(), tokens), result = value(decoder, mean(state));
  if (result === 0n) rejected('the value is 0: there is no decision');
  if (result > 0n !== stated.positive) rejected('the sign is another one');
  if (stated.leaders.length !== found.size || !stated.leaders.every((i) => found.has(i))) rejected('other tokens lead');
  if (stated.deeper) {
    if (!definite(system.matrix)) rejected('A is not symmetric positive definite');
    const followed = part.followed(state), lead = leading(state, followed);
    const end = value(decoder, mean(limits(state, followed, lead, (c) => part.followed(state, [c])[0])));
    if (end > 0n ? result < 0n : end < 0n && result > 0n) rejected('the decision is another one at large depth');
  }
  return { dim, layers, tokens, positive: stated.positive, deeper: stated.deeper };
}
module.exports = { decision };

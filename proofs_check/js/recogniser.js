// Recognisers and automata (FORMAT.md, section 17, rules 1 to 4 and 7). A vector is a list of integers, the last of them
// a common denominator > 0, in lowest terms: equal vectors have equal texts.
'use strict';
const { limits, refuse, declined, spend, hold, longest, bitsOf, productCost, gcdCost } = require('./budget.js');
const { malformed, fields, gcd, number } = require('./reader.js');

const EXPONENT = 32, MOST = 1e15;
const MASKS = new Map([[null, 'whole'], ['before', 'past'], ['upto', 'past'], ['after', 'future'], ['from', 'future']]);
const holds = (condition, why) => { if (!condition) refuse('rejected', why); };
const shaped = (condition, why) => { if (!condition) malformed(why); };
/** A list, of the given length if there is one. */
function list(value, length) {
  shaped(Array.isArray(value) && value.length === (length ?? value.length), `expected a list${length === undefined ? '' : ` of ${length}`}`);
  return value;
}
function entries(value, length) {
  shaped(list(value, length).length > 0, 'expected a list that is not empty');
  return value;
}
const index = (value, least, below) => {
  shaped(Number.isInteger(value) && value >= least && value < below, `expected an integer from ${least} to ${below - 1}`);
  return value;
};
/** One place per text; the texts differ. */
function numbered(texts, what) {
  const found = new Map(texts.map((text, k) => [text, k]));
  shaped(found.size === texts.length, `${what} must differ`);
  return found;
}

/** Integers over their last one in lowest terms, within the limits. */
function reduced(numbers) {
  const bits = longest(numbers), below = numbers[numbers.length - 1];
  let found = numbers;
  if (below !== 1n) {
    spend(numbers.length * (gcdCost(bits) / 4 + productCost(bits)));
    let common = below;
    for (const n of numbers) if (common !== 1n) common = gcd(n, common);
    if (common !== 1n) found = numbers.map((n) => n / common);
  }
  if (Math.max(0, bits - 4) > limits.bits && longest(found) > limits.bits) declined('bits');
  return found;
}
/** The least common denominator of fractions. */
function common(fractions) {
  let found = 1n;
  for (const { d } of fractions) {
    if (d === 1n) continue;
    spend(40 + gcdCost(bitsOf(d)) + productCost(bitsOf(found)));
    found *= d / gcd(d, found);
    if (bitsOf(found) > limits.bits) declined('bits');
  }
  spend(fractions.length * (1 + productCost(bitsOf(found))));
  hold(fractions.length, bitsOf(found));
  return found;
}
function vector(value, length) {
  const fractions = entries(value, length).map(number), below = common(fractions);
  return [...fractions.map(({ n, d }) => n * (below / d)), below];
}
/** factor*x + y. */
function plus(x, y, factor = { n: 1n, d: 1n }) {
  if (factor.n === 0n) return y;
  const last = x.length - 1, bits = longest(x) + longest(y) + longest([factor.n, factor.d]);
  spend(8 + x.length * (4 + 2 * productCost(bits)));
  const p = factor.n * y[last], q = x[last] * factor.d;
  return reduced(x.map((n, i) => (i < last ? p * n + q * y[i] : q * y[last])));
}
const zeros = (x) => x.map((_, i) => (i < x.length - 1 ? 0n : 1n));
const scaled = (x, factor) => (factor.n === 1n && factor.d === 1n ? x : plus(x, zeros(x), factor));

/** { height, rows: [[row, [[column, integer], ..]], ..], below } of entries [row, column, fraction], row by row. */
function ofEntries(found, height) {
  const below = common(found.map(([, , x]) => x)), rows = [];
  for (const [r, c, { n, d }] of found) {
    if (!rows.length || rows[rows.length - 1][0] !== r) rows.push([r, []]);
    rows[rows.length - 1][1].push([c, n * (below / d)]);
  }
  return { height, rows, below, size: found.length, bits: longest([below, ...rows.flatMap(([, row]) => row.map(([, n]) => n))]) };
}
const product = (x, y) => ({ n: x.n * y.n, d: x.d * y.d });
const FORMS = {
  outer(value, height, columns) {
    const [left, right] = entries(value, 2), column = entries(left, height).map(number), row = entries(right, columns).map(number);
    const bits = longest([...column, ...row].flatMap(({ n, d }) => [n, d])), size = column.length * row.length;
    spend(size * (20 + productCost(2 * bits)));
    hold(size, 1024 + 4 * bits);
    return ofEntries(column.flatMap((x, r) => row.map((y, c) => [r, c, product(x, y)])).filter(([, , x]) => x.n !== 0n), column.length);
  },
  scalar(value, height, columns) {
    shaped((height ?? columns) === columns, 'a multiple of the identity is square');
    const x = number(value);
    spend(20 * columns);
    hold(columns, 1024);
    return ofEntries(x.n === 0n ? [] : Array.from({ length: columns }, (_, i) => [i, i, x]), columns);
  },
  zero(value, height) {
    shaped(value === true, '"zero" must be true');
    return ofEntries([], height ?? 1);
  },
  rows(value, height, columns) {
    const found = [];
    entries(value, height).forEach((row, r) => {
      let least = 0;
      for (const entry of list(row)) {
        const [c, text] = list(entry, 2), x = number(text);
        least = index(c, least, columns) + 1;
        shaped(x.n !== 0n, 'a zero is not written');
        found.push([r, c, x]);
      }
    });
    return ofEntries(found, value.length);
  },
};
function matrix(value, height, columns) {
  if (Array.isArray(value)) {
    const found = [];
    entries(value, height).forEach((row, r) => entries(row, columns).map(number).forEach((x, c) => x.n !== 0n && found.push([r, c, x])));
    return ofEntries(found, value.length);
  }
  shaped(value instanceof Map && value.size === 1, 'no matrix');
  const [[form, content]] = value;
  shaped(Object.hasOwn(FORMS, form), 'no matrix');
  return FORMS[form](content, height, columns);
}
/** M x. */
function times(M, x) {
  spend(20 + M.height + M.size * (4 + productCost(M.bits + longest(x))));
  const found = new Array(M.height + 1).fill(0n);
  for (const [r, row] of M.rows) for (const [c, n] of row) found[r] += n * x[c];
  found[M.height] = M.below * x[x.length - 1];
  return reduced(found);
}
/** x -> eta*x + W relu(U x + b). */
function feedForward(value, dim) {
  if (value === null) return null;
  const [eta, u, b, w] = fields(value, ['eta', 'U', 'b', 'W'], 'feed_forward'), bias = vector(b), width = bias.length - 1;
  const factor = number(eta), U = matrix(u, width, dim), W = matrix(w, dim, width);
  return (x) => {
    const inner = plus(times(U, x), bias);
    return plus(x, times(W, reduced(inner.map((n) => (n < 0n ? 0n : n)))), factor);
  };
}
function readHead(value, dim) {
  const [v, q, k, mask, ties] = fields(value, ['V', 'Q', 'K', 'mask', 'ties'], 'head');
  shaped(MASKS.has(mask), 'an unknown mask');
  shaped(['all', 'first', 'last'].includes(ties), 'an unknown tie rule');
  const isZero = (M) => M instanceof Map && M.has('zero');
  const one = matrix(isZero(q) ? k : q, undefined, dim), two = matrix(isZero(q) ? q : k, one.height, dim);
  const [Q, K] = isZero(q) ? [two, one] : [one, two];
  return { V: matrix(v, dim, dim), Q, K, mask, ties, kind: MASKS.get(mask) };
}
function readBlock(line, b, dim) {
  const [block, first, second] = fields(line, ['block', 'feed_forward', 'self_attention'], 'block line');
  index(block, b, b + 1);
  const feed = feedForward(first, dim);
  if (second === null) return { feed, rho: { n: 1n, d: 1n }, heads: [] };
  const [rho, heads] = fields(second, ['rho', 'heads'], 'self_attention');
  return { feed, rho: number(rho), heads: entries(heads).map((head) => readHead(head, dim)) };
}
function readPolynomial(value) {
  let before = -1;
  return entries(value).map((term) => {
    const [x, a, b] = list(term, 3), found = { x: number(x), a: index(a, 0, EXPONENT + 1), b: index(b, 0, EXPONENT + 1) };
    shaped(found.x.n !== 0n, 'a coefficient is zero');
    shaped(a * 100 + b > before, 'exponents must increase strictly');
    before = a * 100 + b;
    return found;
  });
}
function readFeature(value, dim) {
  const kind = value instanceof Map && value.has('period') ? 'period' : 'ratio';
  const [coordinate, content] = fields(value, ['coordinate', kind], 'feature');
  index(coordinate, 0, dim);
  if (kind === 'period') return { coordinate, period: entries(content).map(number) };
  return { coordinate, ratio: list(content, 2).map(readPolynomial) };
}
/** The value of a polynomial at i and N as a fraction [n, d]. */
function evaluate(terms, i, N) {
  return terms.reduce((total, { x, a, b }) => {
    spend(100 + 4 * gcdCost(longest([...total, x.n, x.d]) + (a + b) * N.toString(2).length));
    return reduced([total[0] * x.d + x.n * BigInt(i) ** BigInt(a) * BigInt(N) ** BigInt(b) * total[1], total[1] * x.d]);
  }, [0n, 1n]);
}
/** What a feature adds at position i of N. */
function added({ period, ratio }, i, N) {
  if (period) return period[i % period.length];
  const [above, below] = ratio.map((terms) => evaluate(terms, i, N));
  holds(below[0] !== 0n, `the denominator of a feature vanishes at position ${i} of ${N}`);
  const [n, d] = reduced([above[0] * below[1] * (below[0] < 0n ? -1n : 1n), above[1] * (below[0] < 0n ? -below[0] : below[0])]);
  return { n, d };
}
/** The token x at position i of N with the features added. */
function placed(r, x, i, N) {
  return r.features.reduce((y, feature) => {
    const more = added(feature, i, N), unit = y.map((_, c) => (c === feature.coordinate || c === y.length - 1 ? 1n : 0n));
    return plus(unit, y, more);
  }, x);
}
/** accept, reject or zero. */
function sign({ accept, threshold }, x) {
  const last = x.length - 1;
  spend(20 + x.length * productCost(longest(x) + longest(accept)));
  let value = 0n;
  for (let i = 0; i < last; i++) if (accept[i] !== 0n) value += accept[i] * x[i];
  const difference = value * threshold.d - threshold.n * x[last] * accept[last];
  return difference > 0n ? 'accept' : difference < 0n ? 'reject' : 'zero';
}
/** Whether a verdict (null: nothing was read) is that of the automaton. */
function isRight({ zero, empty }, out, member) {
  const said = out ?? (empty === null ? 'zero' : empty ? 'accept' : 'reject');
  return said === 'zero' ? zero === 'rejected' && !member : (said === 'accept') === member;
}
/** Rule 2. */
function readAutomaton(line, { letters: k, states: s }) {
  const [letters, next, accepting, start] = fields(line, ['letters', 'next', 'accepting', 'start'], 'automaton line');
  shaped(entries(letters, k).every((a) => typeof a === 'string') && new Set(letters).size === k, 'letters are strings that differ');
  entries(next, s).forEach((row) => entries(row, k).forEach((q) => index(q, 0, s)));
  list(accepting).forEach((q, i) => index(q, i ? accepting[i - 1] + 1 : 0, s));
  return { letters, next, accepting: new Set(accepting), start: index(start, 0, s) };
}
const run = ({ next }, q, word) => word.reduce((state, k) => next[state][k], q);
/** Rules 3 and 4; `subject` reads a line. */
function readRecogniser(subject, { dim, blocks, letters, scope }) {
  const keys = ['tokens', 'begin', 'end', 'features', 'at', 'accept', 'threshold', 'zero', 'empty'];
  const [tokens, begin, end, features, at, accept, threshold, zero, empty] = fields(subject(), keys, 'recogniser line');
  const mark = (value) => (value === null ? null : vector(value, dim));
  const r = { tokens: entries(tokens, letters).map((x) => vector(x, dim)), begin: mark(begin), end: mark(end), at, zero, empty };
  r.features = list(features).map((feature) => readFeature(feature, dim));
  shaped(scope !== 'all' || r.features.every(({ period }) => period), 'a ratio has no place in scope all');
  shaped(at === 'first' || at === 'last', '"at" must be first or last');
  shaped(zero === 'rejected' || zero === 'neither', '"zero" must be rejected or neither');
  shaped(empty === null || typeof empty === 'boolean', '"empty" must be true, false or null');
  shaped(empty === null || (begin === null && end === null), 'with a mark "empty" must be null');
  Object.assign(r, { accept: vector(accept, dim), threshold: number(threshold), blocks: [] });
  for (let b = 0; b < blocks; b++) r.blocks.push(readBlock(subject(), b, dim));
  r.period = r.features.reduce((m, { period = [1] }) => {
    const found = BigInt(m) * BigInt(period.length) / gcd(BigInt(m), BigInt(period.length));
    return found > BigInt(MOST) ? MOST : Number(found);
  }, 1);
  return r;
}
const readWord = (value, letters, length) => list(value, length).map((k) => index(k, 0, letters));
module.exports = {
  holds, shaped, list, entries, index, numbered, vector, plus, scaled, times, placed, sign, isRight, readAutomaton, run, readRecogniser, readWord,
};

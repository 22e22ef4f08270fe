// Softmax at a range of temperatures (FORMAT.md, section 2.1). A fraction is { n, d } in lowest terms, d > 0; an interval is
// [low, high]; a box is a list of intervals; a state is a list of { box, count }.
'use strict';
const { limits, refuse, declined, spend } = require('./budget.js');
const { malformed, fields, gcd, number, vector } = require('./reader.js');
const { matrix } = require('./transformer.js');

const size = ({ n, d }) => n.toString(16).length + d.toString(16).length;
/** n/d in lowest terms; longer numbers cost more. */
function over(n, d) {
  if (BigInt.asIntN(64, n) !== n || BigInt.asIntN(64, d) !== d) {
    const digits = n.toString(16).length + d.toString(16).length, words = digits >> 4;
    spend(words * words + 4 * digits); // Euclid's algorithm: some 25 nanoseconds for each bit
    if (words > limits.bits >> 5) declined('bits');
  }
  const common = gcd(n, d) * (d < 0n ? -1n : 1n);
  return common === 1n ? { n, d } : { n: n / common, d: d / common };
}
const whole = (n) => ({ n: BigInt(n), d: 1n });
const ZERO = whole(0), ONE = whole(1);
const add = (x, y) => (x.d === y.d ? over(x.n + y.n, x.d) : over(x.n * y.d + y.n * x.d, x.d * y.d));
const neg = (x) => ({ n: -x.n, d: x.d });
const sub = (x, y) => add(x, neg(y));
const mul = (x, y) => (x.n === 0n || y.n === 0n ? ZERO : over(x.n * y.n, x.d * y.d));
const inverse = (x) => (x.n < 0n ? { n: -x.d, d: -x.n } : { n: x.d, d: x.n });
const less = (x, y) => x.n * y.d < y.n * x.d;
const same = (x, y) => x.n === y.n && x.d === y.d;
const least = (list) => list.reduce((a, b) => (less(b, a) ? b : a));
const most = (list) => list.reduce((a, b) => (less(a, b) ? b : a));
const floor = ({ n, d }) => (n >= 0n ? n / d : -((-n + d - 1n) / d));

const point = (x) => [x, x];
const plus = (x, y) => [add(x[0], y[0]), add(x[1], y[1])];
const minus = (x, y) => [sub(x[0], y[1]), sub(x[1], y[0])];
const times = (c, x) => (c.n >= 0n ? [mul(c, x[0]), mul(c, x[1])] : [mul(c, x[1]), mul(c, x[0])]);
function product(x, y) {
  const ends = x.flatMap((a) => y.map((b) => mul(a, b)));
  return [least(ends), most(ends)];
}
const hull = (intervals) => [least(intervals.map(([low]) => low)), most(intervals.map(([, high]) => high))];
const hullOf = (boxes) => boxes[0].map((_, i) => hull(boxes.map((box) => box[i])));
const isPoint = (box) => box.every(([low, high]) => same(low, high));
const sum = (intervals) => intervals.reduce(plus, point(ZERO));
/** A linear form, the nonzero coefficients of which are [index, fraction], on a box. */
const form = (row, box) => sum(row.map(([i, c]) => times(c, box[i])));
const sparse = (row) => [...row.entries()].filter(([, c]) => c.n !== 0n);
/** The ends moved outward to multiples of 2^-p; without p as they are. */
function outward([low, high], p) {
  if (same(low, high) || p === null) return [low, high];
  const scale = { n: 1n << p, d: 1n };
  return [over(floor(mul(low, scale)), scale.n), over(-floor(neg(mul(high, scale))), scale.n)];
}
/** The interval of e^-t for a fraction t >= 0. */
function falling(t, p) {
  if (t.n === 0n) return [ONE, ONE];
  if (!less(t, { n: p, d: 1n })) return [ZERO, over(1n, 1n << p)];
  const k = BigInt(floor(t) === 0n ? 1 : floor(t).toString(2).length + 1), s = p + k + 8n, one = 1n << s;
  spend(80 + Number(s) * (4 + (Number(s + BigInt(size(t)) * 4n) >> 5)));
  const y = { n: t.n, d: t.d << k };
  let term = one, total = one, j = 0n;
  while (term > 0n) {
    j++;
    term = (term * y.n) / (y.d * j);
    total += term;
  }
  let low = (one * one) / (total + 2n * j + 2n), high = (one * one + total - 1n) / total;
  for (let i = 0n; i < k; i++) [low, high] = [(low * low) >> s, (high * high + one - 1n) >> s];
  return [over(low, one), over(high, one)];
}
const lowExp = (t, p) => (t.n >= 0n ? falling(t, p)[0] : inverse(falling(neg(t), p)[1]));
const highExp = (t, p) => (t.n >= 0n ? falling(t, p)[1] : inverse(falling(neg(t), p)[0]));

/** All rows of a matrix of the given height, as nonzero coefficients. */
function rowsOf(M, height, width) {
  if (M.zero && !M.rows && !M.row) return Array.from({ length: height ?? 1 }, () => []);
  if (M.c) return Array.from({ length: width }, (_, i) => (M.zero ? [] : [[i, M.c]]));
  spend((M.rows ?? M.column).length * width);
  return M.rows ? M.rows.map(sparse) : M.column.map((c) => sparse(M.row.map((x) => mul(c, x))));
}
/** x -> eta*x + W relu(U x + b). */
function feedForward(value, d, { p }) {
  const [eta, u, b, w] = fields(value, ['eta', 'U', 'b', 'W'], 'feed_forward');
  const bias = vector(b, undefined, 'b'), U = rowsOf(matrix(u, bias.length, d, 'U'), bias.length, d);
  const W = rowsOf(matrix(w, d, bias.length, 'W'), d, bias.length), factor = number(eta);
  const columns = bias.map(() => []); // column k of W: [row, coefficient]
  W.forEach((row, i) => row.forEach(([k, c]) => columns[k].push([i, c])));
  const image = (box) => {
    spend(60 * U.reduce((n, row) => n + row.length + 1, d * d));
    const A = box.map((_, i) => box.map((__, j) => (i === j ? factor : ZERO))), v = box.map(() => ZERO);
    const extra = box.map(() => point(ZERO));
    let still = same(factor, ONE);
    U.forEach((row, k) => {
      const [low, high] = plus(form(row, box), point(bias[k]));
      if (low.n >= 0n) {
        spend(24 * columns[k].length * (row.length + 1));
        for (const [i, c] of columns[k]) {
          for (const [j, x] of row) A[i][j] = add(A[i][j], mul(c, x));
          v[i] = add(v[i], mul(c, bias[k]));
        }
        still = false;
      } else if (high.n > 0n) {
        spend(60 * columns[k].length);
        for (const [i, c] of columns[k]) extra[i] = plus(extra[i], times(c, [ZERO, high]));
        still = false;
      }
    });
    return still ? box : A.map((row, i) => outward(plus(plus(form(sparse(row), box), point(v[i])), extra[i]), p));
  };
  return (state) => {
    const images = new Map(); // tokens that share a box share its image
    for (const { box } of state) if (!images.has(box)) images.set(box, image(box));
    return state.map(({ box }) => images.get(box));
  };
}
/** Rule A: at every beta >= b the tokens with a positive gap have at most the share eps of all weight. */
function dominated(state, gaps, r, { b, p }) {
  const top = [], rest = [];
  gaps.forEach(([low], j) => (low.n > 0n ? rest : top).push(j));
  const first = hullOf(top.map((j) => state[j].box));
  if (!rest.length) return first;
  const mass = rest.map((j) => {
    const e = floor(mul({ n: 10n, d: 7n }, mul(b, gaps[j][0])));
    return state[j].count << (p - (e < p ? e : p));
  }).reduce((x, y) => x + y);
  const eps = least([ONE, over(mass, state[r].count << p)]), second = hullOf(rest.map((j) => state[j].box));
  return first.map(([low, high], i) => [
    add(low, least([ZERO, mul(eps, sub(second[i][0], low))])), add(high, most([ZERO, mul(eps, sub(second[i][1], high))])),
  ]);
}
/** Rule B: weights from enclosures of the exponential. */
function weighted(state, gaps, r, { b, c, p }) {
  const all = hullOf(state.map(({ box }) => box)), ranges = gaps.map((gap) => product([b, c], gap));
  if (ranges.some(([low]) => less(low, whole(-(p / 2n))))) return all;
  const weights = ranges.map(([low, high], j) => times(whole(state[j].count), [lowExp(high, p), highExp(low, p)]));
  weights[r] = point(whole(state[r].count));
  const total = sum(weights), share = [inverse(total[1]), inverse(total[0])], own = state[r].box;
  return all.map(([low, high], i) => {
    const terms = state.map(({ box }, j) => (j === r ? point(ZERO) : product(weights[j], minus(box[i], own[i]))));
    const mean = plus(own[i], product(sum(terms), share));
    return [most([low, mean[0]]), least([high, mean[1]])];
  });
}
function uniform(state) {
  const share = over(1n, state.reduce((n, { count }) => n + count, 0n));
  return state[0].box.map((_, i) => times(share, sum(state.map(({ box, count }) => times(whole(count), box[i])))));
}
/** For one row of Q: all positive queries become their hull, all negative ones theirs. */
function onePerSign(queries) {
  const sign = ([[low, high]]) => (low.n > 0n ? 1 : high.n < 0n ? -1 : 0), signs = queries.map(sign), hulls = {};
  for (const s of new Set(signs)) hulls[s] = [hull(queries.filter((_, i) => signs[i] === s).map(([x]) => x))];
  return queries.map((query, i) => (signs[i] === 0 ? query : hulls[signs[i]]));
}
/** x_i -> rho*x_i + V mean_i. */
function selfAttention(value, d, range) {
  const [rho, v, q, k] = fields(value, ['rho', 'V', 'Q', 'K'], 'self_attention');
  const first = matrix(q, undefined, d, 'Q'), second = matrix(k, first.height, d, 'K'), zero = first.zero || second.zero;
  const V = rowsOf(matrix(v, d, d, 'V'), d, d), [Q, K] = zero ? [[], []] : [first, second].map((M) => rowsOf(M, undefined, d));
  const factor = number(rho), text = (box) => box.flat().map(({ n, d: below }) => `${n}/${below}`).join();
  const mean = (query, keys, state) => {
    spend(state.length * (240 * (query.length + d) + (range.c === null ? 0 : 400)) + 100 * d * d);
    const scores = keys.map((key) => query.map((x, h) => mul(add(...x), add(...key[h]))).reduce(add, ZERO));
    const top = most(scores), r = scores.findIndex((score) => same(score, top));
    const gap = (key) => sum(query.map((x, h) => product(x, minus(keys[r][h], key[h]))));
    const gaps = keys.map((key, j) => (j === r ? point(ZERO) : gap(key)));
    if (gaps.flat().every((end) => end.n === 0n)) return uniform(state);
    return range.c === null ? dominated(state, gaps, r, range) : weighted(state, gaps, r, range);
  };
  const part = (state) => {
    spend(state.length * 40 * d * (Q.length + K.length + 1));
    let queries = state.map(({ box }) => Q.map((row) => form(row, box)));
    const keys = state.map(({ box }) => K.map((row) => form(row, box))), moves = new Map();
    if (Q.length === 1 && range.c === null) queries = onePerSign(queries);
    return state.map(({ box }, i) => {
      const name = text(queries[i]);
      if (!moves.has(name)) {
        const m = mean(queries[i], keys, state);
        moves.set(name, V.map((row) => (factor.n === 0n ? outward(form(row, m), range.p) : form(row, m))));
      }
      if (factor.n === 0n) return moves.get(name); // one box for all tokens with this query
      return box.map((x, j) => outward(plus(times(factor, x), moves.get(name)[j]), range.p));
    });
  };
  part.uniform = zero;
  return part;
}
/** Tokens that are the same point become one. */
function merged(tokens) {
  const found = new Map();
  tokens.forEach(({ box, count }, j) => {
    const key = isPoint(box) ? box.map(([{ n, d }]) => `${n}/${d}`).join() : j;
    if (found.has(key)) found.get(key).count += count;
    else found.set(key, { box, count });
  });
  return [...found.values()];
}
/** { b, c, p } of a header; c = null: every beta >= b and hardmax. */
function readRange(beta, bits) {
  if (!Array.isArray(beta) || beta.length !== 2) malformed('beta: expected [b, c]');
  const b = number(beta[0]), c = beta[1] === null ? null : number(beta[1]);
  if (b.n <= 0n || (c !== null && less(c, b))) malformed('beta: expected 0 < b <= c, or c null');
  if (!Number.isInteger(bits) || bits < 1) malformed('bits: expected a count >= 1');
  if (bits > limits.bits) declined('bits');
  return { b, c, p: BigInt(bits) };
}
const text = ({ n, d }) => (d === 1n ? `${n}` : `${n}/${d}`);
/** What the answer says about a margin. */
const marginWords = (r) => ({ margin: text(r), at: `, also when every token moves by at most ${text(r)} in every coordinate` });
/** What the answer says about a range: its ends, and where the claim holds. */
function rangeWords({ b, c }) {
  const low = text(b);
  if (c === null) return { beta: [low, null], at: ` with softmax at every beta >= ${low}, and with hardmax` };
  return { beta: [low, text(c)], at: ` with softmax at every beta from ${low} to ${text(c)}` };
}
const exact = ({ num, den }) => num.map((n) => over(n, den));
/** The boxes of a sequence after all parts; at first around each token what moves from least to most reach. */
function boxesAfter(tokens, least, most, parts) {
  const boxes = (row) => exact(row).map((x) => [add(x, least), add(x, most)]);
  let state = merged(tokens.map((row) => ({ box: boxes(row), count: row.weight })));
  for (const part of parts) state = merged(part(state).map((box, i) => ({ box, count: state[i].count })));
  return state;
}
/** The radius of a margin line. */
function readMargin(line) {
  const r = number(fields(line, ['margin'], 'margin line')[0]);
  if (r.n <= 0n) malformed('a margin is positive');
  return r;
}
/** However the tokens move within the margin, the outputs are the targets; a translate refutes, boxes prove. */
function checkMargin(tokens, targets, parts, r) {
  if (parts.some(({ uniform: free }) => free === false)) refuse('declined', 'a margin is proved for uniform attention only');
  const name = (x) => x.map(({ n, d }) => `${n}/${d}`).join(), goals = new Set(targets.map((row) => name(exact(row))));
  const right = (least, most) => {
    const state = boxesAfter(tokens, least, most, parts), found = new Set(state.map(({ box }) => name(box.map(([x]) => x))));
    return state.every(({ box }) => isPoint(box)) && found.size === goals.size && [...found].every((y) => goals.has(y));
  };
  for (const move of [ZERO, r, neg(r)]) if (!right(move, move)) refuse('rejected', 'moved by 0, r or -r the outputs are not the targets');
  if (!right(neg(r), r)) refuse('declined', 'the boxes of the moved tokens do not prove the margin; a smaller one may pass');
}
/** The boxes of a sequence at the end against its targets; tokens and targets are distinct rows with their weights. */
function checkBoxes(tokens, targets, parts) {
  const goals = targets.map(exact), state = boxesAfter(tokens, ZERO, ZERO, parts);
  spend(16 * state.length * goals.length * (goals[0].length + 2));
  const inside = (y, { box }) => box.every(([low, high], i) => !less(y[i], low) && !less(high, y[i]));
  if (!state.every((token) => goals.some((y) => inside(y, token)))) refuse('rejected', 'an output is no target, whatever beta');
  if (!goals.every((y) => state.some((token) => inside(y, token)))) refuse('rejected', 'a target is no output, whatever beta');
  if (!state.every(({ box }) => isPoint(box))) refuse('declined', 'enclosure too wide at these bits: an output is no point; larger "bits" may decide');
}
/** What uniform attention is at every temperature, and no rounding. */
const EXACT = { b: ONE, c: null, p: null };
module.exports = { softFeedForward: feedForward, softAttention: selfAttention, readRange, rangeWords, checkBoxes, readMargin, marginWords, checkMargin, EXACT };

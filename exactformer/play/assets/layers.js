// The layers of the hardmax dynamics by definition: exactly, over one common denominator, and in float64 beside it.
'use strict';
const { limits, spent, spend, bitsOf, productCost } = require('./budget.js');
const { gcd, lcm, absolute, read, write, fraction, nearest, roughly } = require('./numbers.js');

//: operations (of some 25 nanoseconds) for one computation; what takes longer ends early and says so
const WORK = 4e8;
//: rounding errors of a float score are far below this share of the sum of its absolute terms
const ROUNDING = 2 ** -40;
//: products of three floats between these stay in the range of floats, and precise
const SMALLEST = 1e-90, LARGEST = 1e90;
//: products of floats for finding where float64 comes to rest
const FLOAT_WORK = 3e5;
const TOO_LONG = 'the numbers are too long for this page; the command exactformer limit takes longer ones';

/** Rows of fractions -> {num: rows of integers, den}. */
function common(rows) {
  const den = rows.flat().reduce((m, x) => lcm(m, x.d), 1n);
  return { num: rows.map((row) => row.map((x) => x.n * (den / x.d))), den };
}

/** The same points without a common factor. */
function reduced({ num, den }) {
  let g = den;
  for (const row of num) {
    for (const x of row) if (g !== 1n) g = gcd(g, x);
    if (g === 1n) return { num, den };
  }
  return { num: num.map((row) => row.map((x) => x / g)), den: den / g };
}

/** <x, y>, of integers or of floats. */
function dot(x, y) {
  let total = x[0] * y[0];
  for (let c = 1; c < x.length; c++) total += x[c] * y[c];
  return total;
}
const image = (A, x) => A.map((row) => dot(row, x));

/** The members of the list with the largest score. */
function argmax(candidates, score) {
  let best = null, found = [];
  for (const j of candidates) {
    const value = score(j);
    if (best === null || value > best) [best, found] = [value, [j]];
    else if (value === best) found.push(j);
  }
  return found;
}

/** The indices whose float score is not certainly below the largest one. */
function nearMaximisers(points, direction, error) {
  const scores = points.map((y) => dot(direction, y)), near = [];
  let most = -Infinity;
  for (const score of scores) if (score > most) most = score;
  for (let j = 0; j < scores.length; j++) if (scores[j] >= most - 2 * error) near.push(j);
  return near;
}

/** Whether the floats of these integers, up to a common factor, are of moderate size, or zero where the integers are. */
const moderate = (num, floats) => num.every((row, i) => row.every((x, c) => {
  const size = Math.abs(floats[i][c]);
  return x === 0n || (size > SMALLEST && size < LARGEST);
}));

/** C_i = argmax_j <A z_i, z_j> in integers. Floats only leave out those that are certainly no maximiser. */
function exactFollows(num, A, points, floatA) {
  const useful = moderate(num, points) && moderate(A, floatA), every = [...num.keys()];
  const longest = num.flat().reduce((most, x) => Math.max(most, bitsOf(x)), 0);
  const sizeA = floatA.map((row) => row.map(Math.abs));
  const largest = points[0].map((_, c) => points.reduce((most, x) => Math.max(most, Math.abs(x[c])), 0));
  return points.map((x, i) => {
    const error = ROUNDING * dot(image(sizeA, x.map(Math.abs)), largest);
    const near = useful ? nearMaximisers(points, image(floatA, x), error) : every;
    if (near.length === 1) return near;
    spend(near.length * x.length * productCost(longest));
    const exact = image(A, num[i]);
    return argmax(near, (j) => dot(exact, num[j]));
  });
}

/** The same sets as a program in float64 finds them. */
function floatFollows(points, A) {
  const every = [...points.keys()];
  return points.map((x) => {
    const direction = image(A, x);
    return argmax(every, (j) => dot(direction, points[j]));
  });
}

/** One layer: z_i <- (z_i + alpha * mean of C_i) / (1 + alpha). */
function exactStep({ num, den }, follows, alpha) {
  const share = follows.reduce((m, C) => lcm(m, BigInt(C.length)), 1n);
  const stay = alpha.d * share, longest = bitsOf(den) + bitsOf(share);
  spend(num.length * num[0].length * 4 * productCost(longest));
  const next = num.map((row, i) => {
    const pull = alpha.n * (share / BigInt(follows[i].length));
    return row.map((x, c) => {
      let total = 0n;
      for (const j of follows[i]) total += num[j][c];
      return stay * x + pull * total;
    });
  });
  return reduced({ num: next, den: den * (alpha.n + alpha.d) * share });
}

/** One layer in floats. */
function floatStep(points, follows, share) {
  return points.map((row, i) => row.map((x, c) => {
    let total = 0;
    for (const j of follows[i]) total += points[j][c];
    return x + share * (total / follows[i].length - x);
  }));
}

/** The texts of an instance as fractions; an error names the place. */
function parse({ tokens, A, alpha = '1' }) {
  const number = (text, where) => {
    const value = read(text);
    if (value === null) throw new Error(`${where}: expected a number such as 3, -1/2 or 0.1, got ${JSON.stringify(text)}`);
    return value;
  };
  const rows = tokens.map((row, i) => row.map((x, c) => number(x, `token ${i}, coordinate ${c + 1}`)));
  const d = rows.length ? rows[0].length : 2;
  if (rows.some((row) => row.length !== d)) throw new Error('the tokens have different numbers of coordinates');
  const unit = (i, c) => fraction(i === c ? 1n : 0n);
  const matrix = A
    ? A.map((row, i) => row.map((x, c) => number(x, `A, row ${i + 1}, column ${c + 1}`)))
    : Array.from({ length: d }, (_, i) => Array.from({ length: d }, (_, c) => unit(i, c)));
  if (matrix.length !== d || matrix.some((row) => row.length !== d)) throw new Error(`A: expected ${d} rows of ${d} numbers`);
  const step = number(alpha, 'alpha');
  if (step.n <= 0n) throw new Error(`alpha: expected a positive number, got ${write(step)}`);
  return { rows, matrix, alpha: step };
}

/** Adds those with C_i = {i} to the leaders; all leaders so far, in order. */
function lead(leaders, follows) {
  follows.forEach((C, i) => { if (C.length === 1 && C[0] === i) leaders.add(i); });
  return [...leaders].sort((x, y) => x - y);
}

/** Appends the layers 0..last, one after the other; what is too much work is declined. */
function appendLayers(layers, { rows, matrix, alpha }, last) {
  const { num: A, den: scale } = common(matrix), floatA = A.map((row) => row.map((x) => roughly(x, scale))), leaders = new Set();
  let state = common(rows);
  for (let k = 0; k <= last; k++) {
    const points = state.num.map((row) => row.map((x) => roughly(x, state.den)));
    const follows = exactFollows(state.num, A, points, floatA);
    layers.push({ ...state, points, follows, leaders: lead(leaders, follows) });
    if (k < last) state = exactStep(state, follows, alpha);
  }
}

/** Layers 0..last, each {num, den, points, follows, leaders}; fewer where the numbers grow too long. */
function exactLayers(instance, last) {
  const parsed = parse(instance), layers = [];
  try {
    if (parsed.rows.length) appendLayers(layers, parsed, last);
  } catch (problem) {
    if (problem.verdict !== 'declined') throw problem;
  }
  return layers;
}

/** Layers 0..last in float64, and where it comes to rest after that; rest is null where that takes too long. */
function floatCourse(instance, last) {
  const { rows, matrix, alpha } = parse(instance);
  const A = matrix.map((row) => row.map((x) => nearest(x.n, x.d)));
  const share = nearest(alpha.n, alpha.n + alpha.d), leaders = new Set(), layers = [];
  let points = rows.map((row) => row.map((x) => nearest(x.n, x.d))), rest = null;
  const most = last + FLOAT_WORK / (rows.length ** 2 * A.length);
  for (let k = 0; k <= most && !rest; k++) {
    const follows = floatFollows(points, A), next = floatStep(points, follows, share);
    if (k <= last) layers.push({ points, follows, leaders: lead(leaders, follows) });
    else if (next.every((row, i) => row.every((x, c) => x === points[i][c]))) rest = next;
    points = next;
  }
  return { layers, rest };
}

/** The first layer, and the tokens, at which float64 follows others than exact arithmetic; null if there is none. */
function firstDifference(exact, floats) {
  for (let k = 0; k < exact.length; k++) {
    const tokens = [...exact[k].follows.keys()].filter((i) => exact[k].follows[i].join() !== floats[k].follows[i].join());
    if (tokens.length) return { layer: k, tokens };
  }
  return null;
}

/** The corners of the hull of planar integer points, counterclockwise, by exact orientations. */
function hull(num) {
  const order = [...num.keys()].sort((i, j) => {
    const by = num[i][0] - num[j][0] || num[i][1] - num[j][1];
    return by < 0n ? -1 : by > 0n ? 1 : 0;
  });
  const half = (indices) => indices.reduce((chain, k) => {
    const turn = (o, a, b) => (num[a][0] - num[o][0]) * (num[b][1] - num[o][1]) - (num[a][1] - num[o][1]) * (num[b][0] - num[o][0]);
    while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), k) <= 0n) chain.pop();
    return [...chain, k];
  }, []);
  const lower = half(order), upper = half(order.reverse());
  return [...lower.slice(0, -1), ...upper.slice(0, -1)];
}

/** What the worker answers: exact and float layers, and where they first differ. */
function compute({ id, instance, last }) {
  const start = performance.now();
  Object.assign(spent, { operations: 0, memory: 0 });
  limits.operations = WORK;
  try {
    const exact = exactLayers(instance, last);
    spent.operations = 0; // what follows is a little work, also where the layers took all
    if (!exact.length) throw new Error(TOO_LONG);
    const { layers: floats, rest } = floatCourse(instance, exact.length - 1);
    const planar = exact[0].num[0].length === 2;
    for (const layer of exact) layer.hull = planar ? hull(layer.num) : [];
    return { id, exact, floats, rest, difference: firstDifference(exact, floats), milliseconds: performance.now() - start };
  } catch (problem) {
    return { id, error: problem.verdict === 'declined' ? TOO_LONG : problem.message };
  }
}

/** The exact coordinates of a token of a layer, as canonical texts. */
const coordinates = ({ num, den }, i) => num[i].map((x) => write(fraction(x, den)));

module.exports = { exactLayers, floatCourse, firstDifference, hull, compute, coordinates, parse, common, absolute };

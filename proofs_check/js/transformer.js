// The transformer of FORMAT.md, section 2, in exact integers. A *row* is { num: [BigInt], den > 0 } and means num/den;
// a *state* is a list of rows, each with a `weight`: how many tokens of the sequence stand there.
'use strict';
const { spent, spend, hold, bitsOf, longest, productCost, within } = require('./budget.js');
const { malformed, fields, gcd, number, vector } = require('./reader.js');

const COMPARED = 8; // operations of one comparison of scores
const zeros = (length) => new Array(length).fill(0n);
const scaled = (num, factor) => (factor === 1n ? num : num.map((x) => x * factor));
const lcm = (a, b) => (a % b === 0n ? a : within((a / gcd(a, b)) * b));
/** Fractions in lowest terms -> their row; gcd(num, den) = 1 follows. */
function rowOf(fractions) {
  const den = fractions.reduce((common, f) => lcm(common, f.d), 1n), bits = bitsOf(den);
  if (bits) { spend(fractions.length * productCost(bits)); hold(fractions.length, bits); }
  return { num: fractions.map((f) => f.n * (den / f.d)), den };
}
function sum(a, b) {
  const den = lcm(a.den, b.den), bits = bitsOf(den), left = den / a.den, right = den / b.den;
  const factors = Number(left !== 1n) + Number(right !== 1n); // products with 1 are not made
  if (bits) spend((4 + (2 + 3 * factors) * a.num.length) * productCost(bits));
  const x = scaled(a.num, left), y = scaled(b.num, right);
  return { num: x.map((entry, i) => entry + y[i]), den };
}
function reduced({ num, den }) {
  let common = den;
  for (let i = 0; i < num.length && common !== 1n; i++) common = gcd(common, num[i]);
  return common === 1n ? { num, den } : { num: num.map((x) => x / common), den: den / common };
}
/** c*x + row. */
const blend = (c, x, row) => (c.n === 0n ? row : sum({ num: scaled(x.num, c.n), den: c.d * x.den }, row));
/** The nonzero entries only. */
function sparse(entries) {
  const at = [...entries.keys()].filter((i) => entries[i] !== 0n);
  return { at, num: at.map((i) => entries[i]) };
}
const dot = ({ at, num }, dense) => at.reduce((total, i, j) => total + num[j] * dense[i], 0n);

/** A matrix in any of the four forms; height undefined: as it comes (and undefined it stays for {"zero":true}). */
function matrix(value, height, width, what) {
  const form = Array.isArray(value) ? 'dense' : value instanceof Map && value.size === 1 ? [...value.keys()][0] : '';
  const inner = value instanceof Map ? value.get(form) : value, M = {};
  if (form === 'zero' && inner === true) return { height, zero: true };
  if (form === 'scalar') M.c = number(inner);
  else if (form === 'dense' && inner.length) M.rows = inner.map((row) => vector(row, width, what));
  else if (form === 'outer' && Array.isArray(inner) && inner.length === 2) {
    [M.column, M.row] = [vector(inner[0], undefined, what), vector(inner[1], width, what)];
  } else malformed(`${what}: expected a matrix in one of the four forms`);
  M.height = (M.rows ?? M.column)?.length ?? width;
  if (M.height !== (height ?? M.height)) malformed(`${what}: expected ${height} rows, got ${M.height}`);
  const vanishes = (list) => list.every((x) => x.n === 0n);
  M.zero = M.rows ? M.rows.every(vanishes) : M.row ? vanishes(M.column) || vanishes(M.row) : M.c.n === 0n;
  return M;
}
/** x -> den * M x in integers. */
function integral({ zero, c, column, row, rows }, d) {
  if (zero) return { den: 1n, work: 1, bits: 0, times: (x) => zeros(x.length) };
  if (c) return { den: c.d, work: d, bits: longest([c.n, c.d]), times: (x) => scaled(x, c.n) };
  const { num, den } = rowOf(rows?.flat() ?? row), left = rowOf(column ?? []), width = (row ?? rows[0]).length;
  const parts = (rows ?? [row]).map((_, i) => sparse(num.slice(i * width, (i + 1) * width)));
  const bits = longest(num) + longest(left.num) + bitsOf(den), work = num.length + left.num.length;
  if (row) return { den: den * left.den, work, bits, times: (x) => scaled(left.num, dot(parts[0], x)) };
  return { den, work, bits, times: (x) => parts.map((part) => dot(part, x)) };
}
/** Fractions = factor * direction, the direction in coprime integers, the first of them positive. */
function directed(fractions) {
  const row = rowOf(fractions), { at, num } = sparse(row.num);
  const n = num.reduce((common, x) => gcd(common, x), 0n) * (num[0] < 0n ? -1n : 1n);
  spend(num.length * productCost(bitsOf(n)));
  return { factor: { n, d: row.den }, at, num: num.map((x) => x / n) };
}
/** Units by the direction of their row of U. With t = <direction, x.num> unit k is relu(a*t + c*x.den)/(e*x.den), and
    (at, num, den) is column k of W divided by e; of an outer product W only the row is taken here. */
function grouped(U, bias, W) {
  const groups = new Map(), shared = U.row && directed(U.row);
  bias.forEach((b, k) => {
    const { factor, at, num } = U.c ? { factor: U.c, at: [k], num: [1n] } : U.rows ? directed(U.rows[k])
      : U.row ? { ...shared, factor: { n: U.column[k].n * shared.factor.n, d: U.column[k].d * shared.factor.d } }
      : directed([]);
    const e = lcm(factor.d, b.d), a = factor.n * (e / factor.d), c = b.n * (e / b.d), key = `${at} ${num}`;
    const column = rowOf(W.c ? [W.c] : W.row ? [W.row[k]] : W.rows.map((entries) => entries[k]));
    const { num: entries, den } = reduced({ num: column.num, den: column.den * e });
    if (!groups.has(key)) groups.set(key, { direction: { at, num }, units: [] });
    groups.get(key).units.push({ a, c, den, ...sparse(entries), ...(W.c && { at: [k] }) });
  });
  return [...groups.values()];
}
/** Parallel units together are a piecewise linear function of t: those with a < 0 are turned by relu(v) = v + relu(-v),
    all sorted by their knees -c/a, and table[j] holds the slopes and offsets summed over the first j units. */
function tabulated({ direction, units }) {
  const outputs = [...new Set(units.flatMap(({ at }) => at))], index = new Map(outputs.map((i, j) => [i, j]));
  const size = longest(units.flatMap(({ a, c, num }) => [a, c, ...num]));
  spend(units.length * (outputs.length + 1) * 40 * productCost(size)); // sorting, and sums of fractions
  let active = { num: zeros(2 * outputs.length), den: 1n };
  const add = ({ a, c, at, num, den }, sign) => {
    const row = { num: zeros(active.num.length), den };
    at.forEach((i, j) => [a, c].forEach((x, h) => { row.num[index.get(i) + h * outputs.length] = num[j] * x * sign; }));
    active = reduced(sum(active, row));
    hold(active.num.length, bitsOf(active.den) + 400);
    return active;
  };
  const turned = ({ a, c }) => a < 0n || (a === 0n && c > 0n); // a = 0: a constant, turned into a unit never active
  const alive = units.filter(({ a, c }) => a !== 0n || c !== 0n);
  const sorted = alive.map((unit) => (turned(unit) ? { ...unit, a: -unit.a, c: -unit.c, linear: true } : unit));
  sorted.sort((u, v) => { const gap = v.c * u.a - u.c * v.a; return gap < 0n ? -1 : Number(gap > 0n); });
  for (const unit of [...sorted].reverse()) if (unit.linear) add(unit, -1n);
  const table = [active, ...sorted.map((unit) => add(unit, 1n))];
  return { direction, outputs, table, units: sorted, bits: size + longest(table.map(({ den }) => den)) };
}
/** x -> eta*x + W relu(U x + b). */
function feedForward(value, d) {
  const [eta, u, b, w] = fields(value, ['eta', 'U', 'b', 'W'], 'feed_forward');
  const bias = vector(b, undefined, 'b'), U = matrix(u, bias.length, d, 'U'), W = matrix(w, d, bias.length, 'W');
  const factor = number(eta), column = W.row && rowOf(W.column);
  const groups = (W.zero ? [] : grouped(U, bias, W)).map(tabulated);
  const cost = groups.reduce((n, group) => n + group.direction.at.length + 2 * group.outputs.length + 9, 4 * d);
  const products = groups.reduce((n, { direction, outputs, units }) => (
    n + direction.at.length + 2 * outputs.length + 2 * Math.ceil(Math.log2(units.length + 2))), 2 * d + 2);
  const bits = longest([factor.n, factor.d, ...groups.flatMap(({ direction }) => direction.num)])
    + groups.reduce((most, group) => Math.max(most, group.bits), 0);
  const image = (x) => {
    spend(7 * cost + products * productCost(bits + x.bits, bits));
    let total = { num: zeros(column ? 1 : d), den: 1n };
    for (const { direction, outputs, table, units } of groups) {
      const t = dot(direction, x.num), active = ({ a, c }) => a * t + c * x.den > 0n;
      let low = 0; // in the end: how many units are active, the first ones in their order
      for (let high = units.length; low < high;) {
        const middle = (low + high) >> 1;
        if (active(units[middle])) low = middle + 1; else high = middle;
      }
      const { num, den } = table[low], common = lcm(total.den, den), scale = common / den;
      total = { num: scaled(total.num, common / total.den), den: common };
      outputs.forEach((i, j) => { total.num[i] += (num[j] * t + num[outputs.length + j] * x.den) * scale; });
    }
    if (column) total = { num: scaled(column.num, total.num[0]), den: column.den * total.den }; // W = column * row
    return blend(factor, x, { num: total.num, den: total.den * x.den });
  };
  return { apply: (state) => state.map(image) };
}
/** The rows j at which values[j] / state[j].den is largest. */
function largest(values, state) {
  let [top, below] = [values[0], state[0].den], best = [state[0]];
  for (let j = 1; j < state.length; j++) {
    const { den } = state[j], gap = den === below ? values[j] - top : values[j] * below - top * den;
    if (gap > 0n) [top, below, best] = [values[j], den, [state[j]]];
    else if (gap === 0n) best.push(state[j]);
  }
  return best;
}
/** The inner products of a vector with the rows of a list. */
function products(rows, vector) {
  if (vector.length === 1) { const x = vector[0]; return rows.map((row) => row[0] * x); }
  return rows.map((row) => {
    let total = 0n;
    for (let h = 0; h < vector.length; h++) total += row[h] * vector[h];
    return total;
  });
}
/** x_i -> rho*x_i + V mean_{j in C_i} x_j. */
function selfAttention(value, d) {
  const [rho, v, q, k] = fields(value, ['rho', 'V', 'Q', 'K'], 'self_attention');
  const V = matrix(v, d, d, 'V'), Q = matrix(q, undefined, d, 'Q'), K = matrix(k, Q.height, d, 'K');
  const queries = integral(Q, d), keys = integral(K, d), values = integral(V, d);
  const factor = number(rho), zero = Q.zero || K.zero;
  const followed = (state, by = state) => { // whom each row of `by` follows among the rows of the state
    if (zero) return new Array(by.length).fill(state);
    const widest = (rows) => rows.reduce((most, x) => Math.max(most, x.bits ?? longest([x.den, ...x.num])), 0);
    const work = state.length * keys.work + by.length * (queries.work + state.length * Q.height);
    const size = queries.bits + keys.bits + Math.max(widest(state), widest(by));
    spend(8 * work * productCost(size) + COMPARED * by.length * state.length * productCost(size));
    const all = state.map(({ num }) => keys.times(num));
    const last = new Map(); // first row -> the list with it that was found last: one object for equal lists
    return by.map(({ num }) => {
      const best = largest(products(all, queries.times(num)), state), before = last.get(best[0]);
      if (before?.length === best.length && before.every((row, j) => row === best[j])) return before;
      hold(best.length, 64);
      last.set(best[0], best);
      return best;
    });
  };
  const image = (rows) => { // V times the mean of these rows, each counted by its weight
    spend(40 * (rows.length * (d + 2) + values.work));
    const total = rows.map(({ num, den, weight }) => ({ num: scaled(num, weight), den })).reduce((x, y) => sum(x, y));
    const weight = rows.reduce((n, row) => n + row.weight, 0n);
    spend(4 * values.work * productCost(values.bits + bitsOf(total.den)));
    return { num: values.times(total.num), den: values.den * total.den * weight };
  };
  const apply = (state, groups = followed(state)) => {
    const images = new Map(); // where all scores are 0 all rows follow one and the same list: one mean
    return groups.map((rows, i) => {
      if (!images.has(rows)) images.set(rows, image(rows));
      return blend(factor, state[i], images.get(rows));
    });
  };
  return { zero, apply, followed };
}
/** The same points, reduced, each one once: text of the point -> { num, den, weight }. */
function merged(rows) {
  const points = new Map();
  for (const row of rows) {
    const { num, den } = reduced(row);
    [den, ...num].forEach(within);
    const key = `${num.map((x) => x.toString(32))}/${den.toString(32)}`, bits = longest([den, ...num]);
    hold(num.length + 1, bits);
    points.set(key, { num, den, bits, weight: row.weight + (points.get(key)?.weight ?? 0n) });
  }
  return points;
}
/** The state after one part of a block. */
function settled(state, part) {
  const held = spent.memory;
  const rows = part.apply(state).map(({ num, den }, i) => ({ num, den, weight: state[i].weight }));
  spent.memory = held; // the state before is forgotten
  const numbers = rows.length === 1 ? [rows[0].den, ...rows[0].num] : [], bits = longest(numbers);
  if (rows.length > 1 || bits > state[0].bits) return [...merged(rows).values()];
  hold(numbers.length, bits);
  return [{ ...rows[0], bits }]; // one point alone, no longer than before: lowest terms can wait
}
module.exports = { feedForward, selfAttention, matrix, sum, reduced, rowOf, merged, settled };

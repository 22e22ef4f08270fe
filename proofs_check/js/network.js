// A trained network in integers over 2^p (FORMAT.md, section 16, Arithmetic): one function for each of its parts, and what it
// costs. A token is { m, r }: integers m, and a radius r in the same units.
'use strict';
const { spend, hold, atMost } = require('./budget.js');
const { abs, down, up, bitLength, isqrt, exponential, constants, gelu, geluTanh } = require('./network_functions.js');
const { leastExponent, integers, verifyHeld } = require('./network_weights.js');

/** At these bits nothing is known about an input. */
class Undecided extends Error {}

const words = (bits) => Math.floor(bits / 64) + 1;
/** The same formulas as in the Python checker: a limit that declines a file there declines it here. */
const cost = {
  exponential: (p, most) => (Math.floor((p + most + 18) / 8) + most + 14) * (5 + (words(p + most + 18) ** 2 >> 3)),
  gelu(square, p) {
    const P = p + 41 + Math.floor((3 * square) / 4), terms = 8 + 2 * square + Math.floor(P / 3);
    return 40 + terms * (4 + (words(P) ** 2 >> 2)) + cost.exponential(P, 32 - Math.clz32(square));
  },
  linear: (rows, columns, width, bits) => (
    300 + columns * (4 + Math.floor((words(rows * width) * (words(bits) + 1)) / 4)) + rows * (16 + words(width))),
  packing: (rows, columns, width) => rows * columns * (30 + words(width)),
  dot: (length, bits) => 8 + length * (2 + words(bits) ** 2),
  entry: (bits) => 16 + words(bits) ** 2,
};
const most = (list) => list.reduce((a, b) => (b > a ? b : a));
const least = (list) => list.reduce((a, b) => (b < a ? b : a));
const total = (list) => list.reduce((a, b) => a + b, 0n);
const sizes = (list) => list.reduce((a, b) => a + abs(b), 0n);
const largest = (list) => most(list.map(abs));
const dot = (x, y) => { let n = 0n; for (let i = 0; i < x.length; i++) n += x[i] * y[i]; return n; };
/** The bits of the longest coordinate, or of the radius: it may be the longer one. */
const bitsOf = ({ m, r }) => Math.max(bitLength(most([most(m), -least(m)])), bitLength(r));
const plus = (x, y) => ({ m: x.m.map((a, i) => a + y.m[i]), r: x.r + y.r });

/** A matrix of entries w/2^e and a bias over 2^p. Column i is held as C_i = sum_j w_ji 2^(Bj): then sum_i m_i C_i = sum_j y_j 2^(Bj),
    and as |y_j| < 2^(B-1), the y_j, 2^(B-1) added to each, are the digits in base 2^B. */
class Matrix {
  constructor({ rows, columns, text }, bias) {
    Object.assign(this, { rows, columns, text, bias, e: leastExponent(text), width: 0, packed: [] });
    this.norm = 0n; // 2^e times the norm for the largest coordinate
    for (let j = 0; j < rows; j++) this.norm = most([this.norm, sizes(this.row(j))]);
    this.normBits = bitLength(this.norm);
  }
  row(j) { return integers(this.text.subarray(4 * j * this.columns, 4 * (j + 1) * this.columns), this.e); }
  /** Holds the columns in places of at least so many bits. */
  pack(need) {
    const width = 32 * Math.ceil(need / 32), half = 1n << BigInt(width - 1), digits = width / 4;
    spend(cost.packing(this.rows, this.columns, width));
    hold(this.rows * this.columns, 64 * Math.floor((width - this.width) / 64));
    const columns = Array.from({ length: this.columns }, () => new Array(this.rows));
    for (let j = 0; j < this.rows; j++) {
      this.row(j).forEach((w, i) => { columns[i][this.rows - 1 - j] = (w + half).toString(16).padStart(digits, '0'); });
    }
    this.halves = BigInt(`0x${half.toString(16).repeat(this.rows)}`);
    Object.assign(this, { width, half, packed: columns.map((column) => BigInt(`0x${column.join('')}`) - this.halves) });
  }
  /** The sums over i of w_ji m_i; m has so many bits at most. */
  sums(m, bits) {
    const need = bits + this.normBits + 1;
    atMost(need, 'bits');
    if (need > this.width) this.pack(need);
    spend(cost.linear(this.rows, this.columns, this.width, bits));
    let sum = this.halves;
    for (let i = 0; i < m.length; i++) if (m[i]) sum += m[i] * this.packed[i];
    const size = this.width / 4, text = sum.toString(16).padStart(size * this.rows, '0'), found = new Array(this.rows);
    for (let j = 0, at = text.length; j < this.rows; j++, at -= size) found[j] = BigInt(`0x${text.slice(at - size, at)}`) - this.half;
    return found;
  }
  /** W x + b. */
  apply(token) {
    const e = BigInt(this.e), y = this.sums(token.m, bitsOf(token));
    return { m: y.map((x, j) => (x >> e) + this.bias[j]), r: up(token.r * this.norm, 1n << e) + 1n };
  }
}
class Network {
  constructor(net, weights) {
    Object.assign(this, { net, weights, bits: net.bits, p: BigInt(net.bits), one: 1n << BigInt(net.bits), first: new Map() });
    const { dim, heads, epsilon } = net;
    this.tables = ['token', 'position', 'type'].filter((name) => weights.has(name)).map((name) => this.table(name));
    this.embeddingNorm = net.embedding_norm ? this.norm('embedding', '') : null;
    const own = Array.from({ length: net.shared ? 1 : net.blocks }, (_, k) => this.block(k));
    this.blocks = Array.from({ length: net.blocks }, (_, k) => own[net.shared ? 0 : k]);
    this.finalNorm = net.final_norm ? this.norm('final', '') : null;
    this.head = net.head === 'none' ? null : new Matrix(weights.get(net.head === 'tied' ? 'token' : 'head'), this.vector('head bias'));
    this.epsilon = (epsilon.n << this.p) / epsilon.d;
    this.scale = isqrt((1n << (2n * this.p)) / BigInt(dim / heads)); // 2^p/sqrt(d_k)
  }
  /** Row i of a table over 2^p, as a function of i. */
  table(name) {
    const { columns, text } = this.weights.get(name);
    verifyHeld(text, this.bits);
    return (i) => integers(text.subarray(4 * i * columns, 4 * (i + 1) * columns), this.bits);
  }
  vector(name) { return this.table(name)(0); }
  norm(name, i) { return { gain: this.vector(`${name} gain${i}`), bias: this.vector(`${name} bias${i}`) }; }
  block(k) {
    const map = (name) => new Matrix(this.weights.get(`${k} ${name}`), this.vector(`${k} ${name} bias`));
    const found = { qkv: map('qkv'), out: map('out'), up: map('up'), down: map('down') };
    return this.net.norm === 'none' ? found : { ...found, norms: [this.norm(k, 1), this.norm(k, 2)] };
  }
  /** The classes at the positions wanted; throws Undecided. */
  outputs(ids, types, wanted) {
    const keys = ids.map((id, i) => (types.length ? [id, i, types[i]] : [id, i])), last = this.blocks.length - 1;
    let state = this.blocks.length ? [] : keys.map((key) => this.embedded(key));
    if (!this.blocks.length) state = wanted.map((i) => state[i]);
    this.blocks.forEach((block, k) => {
      const pairs = k === 0 ? keys.map((key) => this.entered(key, block)) : state.map((x) => [x, this.attended(block, x)]);
      const attended = pairs.map(([, second]) => second), kept = k === last ? wanted : [...ids.keys()];
      state = kept.map((i) => this.through(block, pairs[i][0], i, attended));
    });
    return state.map((x) => this.classes(x));
  }
  /** The token with this id, position and perhaps type. */
  embedded(key) {
    spend(100 + 40 * this.net.dim * key.length);
    const rows = key.map((i, t) => this.tables[t](i)), token = { m: rows[0].map((_, c) => total(rows.map((row) => row[c]))), r: 0n };
    return this.embeddingNorm ? this.normed(token, this.embeddingNorm) : token;
  }
  /** A token with its queries, keys and values in the first block, which are kept: they depend on nothing else. */
  entered(key, block) {
    const name = key.join();
    if (!this.first.has(name)) {
      const x = this.embedded(key), found = [x, this.attended(block, x)];
      hold(3 * this.net.dim + 16, 64 * Math.floor((found[1].bits + 320) / 64)); // an integer is an object of 40 bytes more
      this.first.set(name, found);
    }
    return this.first.get(name);
  }
  /** Queries, keys and values of a token by heads. */
  attended(block, x) {
    const { dim: d, heads, norm } = this.net, size = d / heads;
    const token = block.qkv.apply(norm === 'pre' ? this.normed(x, block.norms[0]) : x);
    const [queries, keys, values] = [0, d, 2 * d].map((start) => (
      Array.from({ length: heads }, (_, a) => token.m.slice(start + a * size, start + (a + 1) * size))));
    return { queries, keys, values, sizes: keys.map(sizes), r: token.r, bits: bitsOf(token) };
  }
  /** Token i after the block. */
  through(block, x, i, attended) {
    spend(100 + 8 * this.net.dim);
    const { norm, causal } = this.net, normed = (y, kind, k) => (norm === kind ? this.normed(y, block.norms[k]) : y);
    const mixed = block.out.apply(this.attention(attended[i], causal ? attended.slice(0, i + 1) : attended));
    const y = normed(plus(x, mixed), 'post', 0), inner = this.activation(block.up.apply(normed(y, 'pre', 1)));
    return normed(plus(y, block.down.apply(inner)), 'post', 1);
  }
  /** The heads' means of values, one after the other, for the queries of one token. */
  attention(own, attended) {
    const { dim: d, heads: h } = this.net, n = attended.length, bits = attended.reduce((b, x) => Math.max(b, x.bits), 0);
    const scores = h * n * (40 + cost.dot(d / h, bits) + cost.exponential(this.bits, 32 - Math.clz32(this.bits)));
    spend(160 * h + scores + d * (cost.dot(n, bits) + cost.entry(bits)));
    const parts = own.queries.map((query, a) => this.mean(query, own.r, a, attended));
    return { m: parts.flatMap(({ m }) => m), r: most(parts.map(({ r }) => r)) };
  }
  /** The mean of the values of one head by the softmax of the scores of a query. */
  mean(query, r, a, attended) {
    const { p, scale, one } = this, size = sizes(query), d = BigInt(query.length);
    const scores = attended.map(({ keys }) => ((dot(query, keys[a]) >> p) * scale) >> p);
    const eta = most(attended.map((other, j) => {
      const moved = r * other.sizes[a] + other.r * size + d * r * other.r;
      return up(up(moved, one) * (scale + 2n), one) + 3n + up(2n * abs(scores[j]), scale);
    }));
    const top = most(scores), shares = scores.map((score) => exponential(top - score, p));
    const weights = shares.map(([w]) => w), error = total(shares.map(([, s]) => s)), sum = total(weights);
    if (4n * eta >= one || 4n * error >= sum) throw new Undecided('the scores of a head are not known well enough');
    const columns = query.map((_, c) => attended.map(({ values }) => values[a][c]));
    const span = most(columns.map((column) => most(column) - least(column)));
    const spread = up((4n * eta + up((4n * error) << p, sum)) * span, one);
    return { m: columns.map((column) => down(dot(weights, column), sum)), r: most(attended.map((x) => x.r)) + spread + 2n };
  }
  /** LayerNorm. */
  normed({ m, r }, { gain, bias }) {
    const { p, one } = this, d = m.length, bits = Math.max(bitsOf({ m, r }), bitLength(this.epsilon));
    spend(300 + cost.dot(d, bits) + 2 * d * cost.entry(bits + this.bits));
    const mean = down(total(m), BigInt(d)), c = m.map((x) => x - mean), s = isqrt(dot(c, c) / BigInt(d) + (this.epsilon << p));
    const D = s ? r + 3n + one / s : 0n;
    if (s <= 2n * D) throw new Undecided('a LayerNorm divides by what may be 0');
    const z = c.map((x) => down(x << p, s)), radius = up(((2n * r + 2n) << p) + (largest(z) + 1n) * D, s - D) + 1n;
    return { m: z.map((x, i) => ((x * gain[i]) >> p) + bias[i]), r: up(radius * largest(gain), one) + 1n };
  }
  /** ReLU or GELU of every coordinate. */
  activation({ m, r }) {
    const { p } = this, kind = this.net.activation;
    spend(20 + 6 * m.length);
    if (kind === 'relu') return { m: m.map((x) => (x > 0n ? x : 0n)), r };
    const { tail } = constants(p), square = (x) => Number(abs(x) >> p < tail ? (x * x) >> (2n * p) : tail * tail);
    const tanh = cost.exponential(this.bits + 16, 32 - Math.clz32(this.bits)) + 110;
    for (const x of m) spend(kind === 'gelu' ? cost.gelu(square(x), this.bits) : tanh);
    const found = m.map((x) => (kind === 'gelu' ? gelu(x, p) : geluTanh(x, p)));
    return { m: found.map(([y]) => y), r: up(113n * r, 100n) + most(found.map(([, error]) => error)) + 1n };
  }
  /** The numbers of the classes of an output token. */
  classes(x) {
    const y = this.finalNorm ? this.normed(x, this.finalNorm) : x;
    return this.head ? this.head.apply(y) : y;
  }
}
module.exports = { Network, Undecided };

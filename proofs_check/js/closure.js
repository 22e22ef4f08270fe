// Words of every length (FORMAT.md, section 17, rules 5, 6 and 8 to 13). Nothing is searched: every step from a state that
// is listed must lead to states that are listed. A summary is known by its number, a token by its number in its block.
'use strict';
const { limits, declined, spend, spent, hold, longest, productCost, gcdCost } = require('./budget.js');
const { fields, gcd, number } = require('./reader.js');
const { holds, shaped, list, entries, index, numbered, vector, plus, scaled, times, placed, sign, isRight } = require('./recogniser.js');

const ENTRY = 25 * 64; // bits of memory of an entry of a table that is not written in the file
const OUTS = ['accept', 'reject', 'zero', null];
const BEGIN = -1, END = -2;

// ---- rules 5 and 9: the tables of a head ----

/** The score <q, k> as [n, d] in lowest terms. */
function score(query, key) {
  const last = key.length - 1, bits = longest(query) + longest(key);
  spend(40 + last * (2 + productCost(bits)));
  let n = 0n;
  for (let i = 0; i < last; i++) n += query[i] * key[i];
  const d = query[last] * key[last];
  if (d === 1n) return [n, d];
  spend(gcdCost(bits));
  const common = gcd(n, d);
  return [n / common, d / common];
}
const text = (entry) => (entry === null ? '-' : `${entry[0][0]}/${entry[0][1]}:${entry[1]}`);
const textOf = (summary) => summary.map(text).join();
const pairText = (key, v) => `${key.join()}:${v}`;

function readTable(line, head, b, h, dim) {
  const keys = ['block', 'head', 'queries', 'values', 'pairs', 'summaries', 'guessed'], height = head.Q.height;
  const [block, place, queries, values, pairs, summaries, guessed] = fields(line, keys, 'table line');
  index(block, b, b + 1);
  index(place, h, h + 1);
  const t = { head, queries: list(queries).map((q) => vector(q, height)), vectors: list(values).map((v) => (v === null ? null : vector(v, dim))) };
  t.queryNumber = numbered(t.queries.map((q) => q.join()), 'queries');
  t.valueNumber = numbered(t.vectors.map((v) => (v === null ? 'null' : v.join())), 'values');
  t.mixed = t.valueNumber.get('null') ?? -1;
  shaped(t.mixed < 0 || head.ties === 'all', 'the value null is for ties all');
  t.pairs = list(pairs).map((pair) => {
    const [key, v] = list(pair, 2);
    shaped(index(v, 0, t.vectors.length) !== t.mixed, 'the value of a pair is not null');
    return { key: vector(key, height), v };
  });
  t.pairNumber = numbered(t.pairs.map(({ key, v }) => pairText(key, v)), 'pairs');
  t.summaries = entries(summaries).map((summary) => list(summary, t.queries.length).map((entry) => {
    if (entry === null) return null;
    const [x, v] = list(entry, 2), { n, d } = number(x);
    return [[n, d], index(v, 0, t.vectors.length)];
  }));
  t.number = numbered(t.summaries.map(textOf), 'summaries');
  shaped(t.summaries[0].every((entry) => entry === null), 'summary 0 must be the empty one');
  const past = head.kind === 'past';
  t.guesses = index(guessed, past ? 0 : 1, (past ? 0 : t.summaries.length) + 1);
  return Object.assign(t, { scores: [], grown: new Map(), predecessors: new Map() });
}
/** What is chosen for one query when a position with this score and value is added. */
function one(t, entry, x, v, right) {
  const order = entry === null ? 1n : x[0] * entry[0][1] - entry[0][0] * x[1];
  if (order > 0n) return [x, v];
  if (order < 0n) return entry;
  if (t.head.ties === 'all') return entry[1] === v ? entry : [x, t.mixed];
  return (t.head.ties === 'last') === right ? [x, v] : entry;
}
/** The number of the summary s with pair p at its right or left end; undefined if it is not listed. */
function extended(t, s, p, right) {
  const key = (s * t.pairs.length + p) * 2 + (right ? 1 : 0);
  if (!t.grown.has(key)) {
    const { key: k, v } = t.pairs[p];
    if (!t.scores[p]) {
      hold(t.queries.length, 512);
      t.scores[p] = t.queries.map((q) => score(q, k));
    }
    spend(100 + 40 * t.queries.length);
    hold(1, ENTRY);
    t.grown.set(key, t.number.get(textOf(t.summaries[s].map((entry, i) => one(t, entry, t.scores[p][i], v, right)))));
  }
  return t.grown.get(key);
}
/** Rule 9. */
function checkGuesses(t) {
  spend(t.guesses * t.pairs.length * 20);
  hold(t.guesses * t.pairs.length, ENTRY);
  for (let g = 0; g < t.guesses; g++) {
    for (let p = 0; p < t.pairs.length; p++) {
      const found = extended(t, g, p, t.head.kind === 'whole');
      holds(found < t.guesses, 'the guesses of a head are not closed');
      const key = `${found},${p}`;
      if (!t.predecessors.has(key)) t.predecessors.set(key, []);
      t.predecessors.get(key).push(g);
    }
  }
}

// ---- rule 11: the step ----

/** What a head may hold after one more token, with the entry that it finds. */
function options(t, held, { query, pair }) {
  const listed = (s) => {
    const found = extended(t, s, pair, true);
    holds(found !== undefined, 'a summary is not in its table');
    return found;
  };
  if (t.head.kind === 'whole') return [[[held[0], listed(held[1])], t.summaries[held[0]][query]]];
  if (t.head.kind === 'past') {
    const after = listed(held);
    return [[after, t.summaries[t.head.mask === 'before' ? held : after][query]]];
  }
  const before = t.predecessors.get(`${held},${pair}`) ?? [];
  return before.map((r) => [r, t.summaries[t.head.mask === 'after' ? r : held][query]]);
}
class Steps {
  constructor(recogniser, tables) {
    let at = 0;
    this.r = recogniser;
    this.tables = tables;
    this.stages = recogniser.blocks.map(({ feed, rho, heads }) => ({ feed, rho, first: at, tables: tables.slice(at, at += heads.length) }));
    this.forget();
  }
  /** What was remembered is computed again when it is needed. */
  forget() {
    for (const stage of this.stages) Object.assign(stage, { reads: [], known: new Map(), number: new Map() });
    for (const t of this.tables) Object.assign(t, { scores: [], grown: new Map() });
    Object.assign(this, { outputs: new Map(), said: [], entering: new Map() });
  }
  /** The number of a token that enters block b, or leaves the last one; what its heads read is verified here. */
  token(b, x) {
    const name = x.join(), stage = this.stages[b], numbers = stage ? stage.number : this.outputs;
    if (numbers.has(name)) return numbers.get(name);
    hold(4 * x.length + 40, 256);
    if (stage) stage.reads.push(this.reads(stage, x));
    else this.said.push(sign(this.r, x));
    numbers.set(name, numbers.size);
    return numbers.size - 1;
  }
  /** Rule 11, first part: before branches are cut, every query and pair is in its table. */
  reads({ feed, tables }, x) {
    const y = feed === null ? x : feed(x);
    return { y, of: tables.map((t) => {
      const [q, k, v] = [t.head.Q, t.head.K, t.head.V].map((M) => times(M, y));
      spend(8 * (q.length + k.length + v.length));
      const query = t.queryNumber.get(q.join()), pair = t.pairNumber.get(pairText(k, t.valueNumber.get(v.join())));
      holds(query !== undefined, 'a query is not in its table');
      holds(pair !== undefined, 'a pair is not in its table');
      return { query, pair };
    }) };
  }
  /** [what the heads of block b hold after token x, the token after the block] in every branch. */
  results(b, x, held) {
    const { tables, reads, rho, known } = this.stages[b], key = `${x}|${held.join(';')}`;
    if (known.has(key)) return known.get(key);
    const { y, of } = reads[x], choices = tables.map((t, h) => options(t, held[h], of[h]));
    const count = choices.reduce((n, { length }) => n * length, 1);
    spend(200 + count * (100 + 20 * tables.length));
    hold(count + 1, 2 * ENTRY);
    let found = [[[], scaled(y, rho)]];
    choices.forEach((choice, h) => {
      found = found.flatMap(([news, z]) => choice.map(([after, entry]) => {
        if (entry === null) return [[...news, after], z];
        const value = tables[h].vectors[entry[1]];
        holds(value !== null, 'tied positions with different values are averaged');
        return [[...news, after], plus(value, z)];
      }));
    });
    known.set(key, found.map(([news, z]) => [news, this.token(b + 1, z)]));
    return known.get(key);
  }
  /** [what all heads hold, verdict so far] after one more letter or mark, in every branch. */
  *after({ heads, out, residue }, kind) {
    const entry = `${kind},${residue}`;
    if (!this.entering.has(entry)) {
      hold(1, ENTRY);
      const x = kind === BEGIN ? this.r.begin : kind === END ? this.r.end : this.r.tokens[kind];
      this.entering.set(entry, this.token(0, placed(this.r, x, residue, 0)));
    }
    let branches = [[[], this.entering.get(entry)]];
    this.stages.forEach(({ first, tables }, b) => {
      const held = heads.slice(first, first + tables.length), found = branches.map(([news, x]) => [news, this.results(b, x, held)]);
      const total = found.reduce((n, [, results]) => n + results.length, 0);
      spend(60 * (found.length + total) + 4 * total * heads.length);
      if (spent.memory + total * (200 + 8 * heads.length) > limits.memory) declined('memory');
      branches = found.flatMap(([news, results]) => results.map(([more, y]) => [[...news, ...more], y]));
    });
    for (const [news, x] of branches) yield [news, out === null || this.r.at === 'last' ? this.said[x] : out];
  }
}

// ---- rules 6, 8, 10, 12, 13 ----

const nameOf = ({ heads, out, residue, automaton }) => `${heads.join(';')}|${out}|${residue}|${automaton}`;
function readHeld(value, { head, guesses, summaries }) {
  if (head.kind === 'whole') return list(value, 2) && [index(value[0], 0, guesses), index(value[1], 0, summaries.length)];
  return index(value, 0, head.kind === 'past' ? summaries.length : guesses);
}
function readState(line, k, tables, period, states) {
  const [state, heads, out, residue, automaton] = fields(line, ['state', 'heads', 'out', 'residue', 'automaton'], 'state line');
  index(state, k, k + 1);
  shaped(OUTS.includes(out), '"out" is a verdict or null');
  const held = list(heads, tables.length).map((value, h) => readHeld(value, tables[h]));
  return { heads: held, out, residue: index(residue, 0, period), automaton: index(automaton, 0, states) };
}
/** Every combination of guesses, with nothing read (rule 10). */
function* beginnings(tables, start) {
  const most = tables.map(({ guesses }) => Math.max(1, guesses)), at = most.map(() => 0);
  for (;;) {
    yield { heads: tables.map(({ head }, h) => (head.kind === 'whole' ? [at[h], 0] : at[h])), out: null, residue: 0, automaton: start };
    let h = at.length - 1;
    while (h >= 0 && ++at[h] === most[h]) at[h--] = 0;
    if (h < 0) return;
  }
}
function checkAll(header, next, automaton, r) {
  const tables = [];
  r.blocks.forEach(({ heads }, b) => heads.forEach((head, h) => tables.push(readTable(next(), head, b, h, header.dim))));
  const states = new Map();
  for (let k = 0; k < header.product; k++) {
    const state = readState(next(), k, tables, r.period, automaton.next.length);
    states.set(nameOf(state), state);
  }
  shaped(states.size === header.product, 'states must differ');
  tables.forEach(checkGuesses);
  const steps = new Steps(r, tables), guesses = tables.reduce((n, t) => n * Math.max(1, t.guesses), 1);
  spend(guesses * (100 + 20 * tables.length));
  for (const state of beginnings(tables, automaton.start)) {
    if (r.begin === null) holds(states.has(nameOf(state)), 'an initial state is missing');
    else for (const [heads, out] of steps.after(state, BEGIN)) {
      holds(states.has(nameOf({ ...state, heads, out, residue: 1 % r.period })), 'a state after the begin mark is missing');
    }
  }
  const cameTrue = (heads) => tables.every(({ head }, h) => head.kind === 'past' || (head.kind === 'whole' ? heads[h][0] === heads[h][1] : heads[h] === 0));
  const held = spent.memory;
  for (const state of states.values()) {
    if (spent.memory > limits.memory / 2) {
      steps.forget();
      spent.memory = held;
    }
    const member = automaton.accepting.has(state.automaton), residue = (state.residue + 1) % r.period;
    for (const [heads, out] of r.end === null ? [[state.heads, state.out]] : steps.after(state, END)) {
      spend(4 * heads.length);
      if (cameTrue(heads)) holds(isRight(r, out, member), 'a final state has the wrong verdict');
    }
    automaton.next[state.automaton].forEach((q, k) => {
      for (const [heads, out] of steps.after(state, k)) {
        spend(80 + 20 * heads.length);
        holds(states.has(nameOf({ heads, out, residue, automaton: q })), 'the states are not closed under a letter');
      }
    });
  }
}
module.exports = { score, checkAll };

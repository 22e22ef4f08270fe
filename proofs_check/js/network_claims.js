// The claims `argmax` and `enclosure` (FORMAT.md, section 16): header, cases, domains, verdicts. All is read before anything
// is computed.
'use strict';
const { refuse, spend, hold, atMost } = require('./budget.js');
const { malformed, fields, number } = require('./reader.js');
const { readWeights } = require('./network_weights.js');
const { Network, Undecided } = require('./network.js');

const KEYS = ('exactformer version claim dim heads hidden blocks shared vocabulary positions types classes norm embedding_norm final_norm '
  + 'activation causal head epsilon bits weights inline cases domains').split(' ');
/** Key of the header -> least value, first value that is too large. */
const RANGES = Object.fromEntries([
  ...'dim heads hidden vocabulary positions classes'.split(' ').map((key) => [key, [1, 1e6 + 1]]),
  ['blocks', [0, 1001]], ['types', [0, 1001]], ['bits', [32, 481]],
  ...'inline cases domains'.split(' ').map((key) => [key, [0, 1e15]]),
]);
const CHOICES = {
  norm: ['pre', 'post', 'none'], activation: ['relu', 'gelu', 'gelu_tanh'], head: ['free', 'tied', 'none'], at: ['last', 'every'],
};
const TABLE = 4096; // classes on every line of a table but the last

function count(value, least, below = 1e15) {
  if (!Number.isInteger(value) || value < least || value >= below) malformed(`expected an integer from ${least} to ${below - 1}`);
  return value;
}
function list(value, least, most) {
  if (!Array.isArray(value) || value.length < least || value.length > most) malformed(`expected a list of ${least} to ${most} entries`);
  return value;
}
const indices = (value, least, most, below) => list(value, least, most).map((i) => count(i, 0, below));

/** The header as an object (rule 1). */
function readHeader(line, claim) {
  const keys = claim === 'argmax' ? [...KEYS, 'at'] : KEYS, values = fields(line, keys, 'header');
  const net = Object.fromEntries(keys.map((key, i) => [key, values[i]]));
  for (const [key, [least, below]] of Object.entries(RANGES)) count(net[key], least, below);
  for (const [key, choices] of Object.entries(CHOICES)) if (key in net && !choices.includes(net[key])) malformed(`"${key}" must be one of ${choices}`);
  for (const key of ['shared', 'embedding_norm', 'final_norm', 'causal']) if (typeof net[key] !== 'boolean') malformed(`"${key}" must be true or false`);
  net.epsilon = number(net.epsilon);
  if (net.epsilon.n <= 0n) malformed('"epsilon" must be positive');
  if (net.dim % net.heads) malformed('"heads" must divide "dim"');
  if (net.shared && !net.blocks) malformed('"shared" needs a block');
  if (net.head === 'tied' && net.classes !== net.vocabulary) malformed('a tied head has a class for every token');
  if (net.head === 'none' && net.classes !== net.dim) malformed('without a head there is a class for every dimension');
  if (net.cases + net.domains < 1) malformed('there must be a case or a domain');
  return net;
}
/** Case i, and the values of the keys of its claim. */
function readCase(line, net, i, claimed) {
  const [index, ids, ...rest] = fields(line, ['case', 'ids', ...claimed, ...(net.types ? ['types'] : [])], 'case line');
  if (count(index, 0) !== i) malformed(`expected case ${i}`);
  indices(ids, 1, net.positions, net.vocabulary);
  const types = net.types ? indices(rest[claimed.length], ids.length, ids.length, net.types) : [];
  hold(2 * ids.length + 32, 64);
  return { ids, types, claimed: rest.slice(0, claimed.length) };
}
/** How many tuples a product of ranges has; declined past the limit of operations. */
const tuplesOf = (ranges) => ranges.reduce((n, [a, b]) => atMost(n * (b - a + 1), 'operations'), 1);
/** Domain i with its table if it has one: ranges, and the class of a tuple by its ids and its place. */
function readDomain(next, net, i) {
  const [index, ids, F] = fields(next(), ['domain', 'ids', 'function'], 'domain line');
  if (count(index, 0) !== i) malformed(`expected domain ${i}`);
  const ranges = list(ids, 1, net.positions).map((pair) => indices(pair, 2, 2, net.vocabulary));
  if (ranges.some(([a, b]) => a > b)) malformed('a range of ids ends before it begins');
  if (F instanceof Map && F.has('table')) {
    const table = readTable(next, net, count(fields(F, ['table'], 'function')[0], 1), tuplesOf(ranges));
    return { ranges, classOf: (_, place) => table[place] };
  }
  const [factors, plus, mod] = fields(F, ['sum', 'plus', 'mod'], 'function');
  indices(factors, ranges.length, ranges.length, 1e6);
  count(plus, 0, 1e6);
  count(mod, 1, net.classes + 1);
  return { ranges, classOf: (tuple) => tuple.reduce((n, id, k) => (n + factors[k] * id) % mod, plus % mod) };
}
/** The classes on so many lines of a table, one for every tuple. */
function readTable(next, net, lines, tuples) {
  if (lines !== Math.ceil(tuples / TABLE)) malformed(`${tuples} classes stand on ${Math.ceil(tuples / TABLE)} lines`);
  hold(tuples, 64);
  const found = [];
  for (let j = 0; j < lines; j++) {
    const [index, classes] = fields(next(), ['table', 'argmax'], 'table line');
    if (count(index, 0) !== j) malformed(`expected line ${j} of the table`);
    const length = j < lines - 1 ? TABLE : tuples - TABLE * j;
    found.push(...indices(classes, length, length, net.classes));
  }
  return found;
}
/** The tuples of a product of ranges in their lexicographic order. */
function* product(ranges) {
  const ids = ranges.map(([a]) => a);
  for (let k; k !== -1;) {
    yield [...ids];
    for (k = ids.length - 1; k >= 0 && ids[k] === ranges[k][1]; k--) ids[k] = ranges[k][0];
    if (k >= 0) ids[k]++;
  }
}
/** The verdicts on inputs one after another: the first false one rejects, else the first undecided one declines. */
class Judge {
  constructor(network) { Object.assign(this, { network, undecided: null }); }
  /** `verify` is given the outputs at the positions wanted. */
  see(name, { ids, types }, wanted, verify) {
    try {
      verify(this.network.outputs(ids, types, wanted));
    } catch (error) {
      if (error instanceof Undecided) this.undecided ??= `${name}: ${error.message}`;
      else throw error.verdict ? Object.assign(error, { message: `${name}: ${error.message}` }) : error;
    }
  }
  end() {
    if (this.undecided) refuse('declined', `undecided at ${this.network.bits} bits, larger "bits" may decide: ${this.undecided}`);
  }
}
/** At every position asked for, its class is the only maximiser: rejects by the first that is not. */
function verifyClasses(classes, outputs) {
  let known = true;
  outputs.forEach(({ m, r }, i) => {
    const k = classes[i], most = m.reduce((a, y, j) => (j !== k && (a === null || y > a) ? y : a), null);
    if (most - m[k] > 2n * r) refuse('rejected', `class ${k} is not the largest`);
    known &&= m[k] - most > 2n * r;
  });
  if (!known) throw new Undecided('a class may not be the only largest one');
}
/** Every class is at most the radius away from the centre. */
function verifyBall({ centre, radius }, p, [{ m, r }]) {
  let known = true;
  m.forEach((y, l) => { // both sides times 2^p and the denominators
    const { n, d } = centre[l], away = y * d - (n << p), size = away < 0n ? -away : away, most = (radius.n << p) * d;
    if ((size - r * d) * radius.d > most) refuse('rejected', 'a class is farther from the centre than the radius');
    known &&= (size + r * d) * radius.d <= most;
  });
  if (!known) throw new Undecided('a class may be farther from the centre than the radius');
}
function argmax(net, next, subject, weights) {
  const every = net.at === 'every', cases = [], domains = [];
  if (net.classes < 2) malformed('an argmax needs two classes');
  if (net.domains && (every || net.types > 1)) malformed('domains need "at":"last" and at most one type');
  const read = readWeights(net, next, weights);
  for (let i = 0; i < net.cases; i++) {
    const found = readCase(subject(), net, i, ['argmax']), [k] = found.claimed, n = found.ids.length;
    cases.push({ ...found, classes: every ? indices(k, n, n, net.classes) : [count(k, 0, net.classes)] });
  }
  for (let i = 0; i < net.domains; i++) domains.push(readDomain(subject, net, i));
  const tuples = atMost(domains.reduce((n, { ranges }) => n + tuplesOf(ranges), 0), 'operations');
  const judge = new Judge(new Network(net, read));
  cases.forEach((one, i) => {
    const wanted = every ? [...one.ids.keys()] : [one.ids.length - 1];
    judge.see(`case ${i}`, one, wanted, (outputs) => verifyClasses(one.classes, outputs));
  });
  domains.forEach(({ ranges, classOf }, i) => {
    const n = ranges.length, types = net.types ? new Array(n).fill(0) : [];
    let place = 0;
    for (const ids of product(ranges)) {
      spend(40 + 4 * n);
      const k = classOf(ids, place++);
      judge.see(`domain ${i}, ids ${ids.slice(0, 20)}`, { ids, types }, [n - 1], (outputs) => verifyClasses([k], outputs));
    }
  });
  judge.end();
  return { cases: net.cases, tuples, domains: net.domains, weights: net.weights };
}
function enclosure(net, next, subject, weights) {
  if (net.domains) malformed('an enclosure has no domains');
  const read = readWeights(net, next, weights), cases = [];
  for (let i = 0; i < net.cases; i++) {
    const found = readCase(subject(), net, i, ['at', 'centre', 'radius']), [at, centre, radius] = found.claimed;
    const middle = list(centre, net.classes, net.classes).map(number);
    hold(middle.length, 1984);
    cases.push({ ...found, at: count(at, 0, found.ids.length), centre: middle, radius: number(radius) });
  }
  const judge = new Judge(new Network(net, read)), p = BigInt(net.bits);
  cases.forEach((one, i) => {
    spend(200 * net.classes);
    judge.see(`case ${i}`, one, [one.at], (outputs) => verifyBall(one, p, outputs));
  });
  judge.end();
  return { outputs: net.cases, weights: net.weights };
}
/** What was proved. */
function networkWords({ cases, tuples, domains, outputs, weights }) {
  const what = outputs ? `${outputs} outputs are within their radii` : `${cases} cases and ${tuples} tuples of ${domains} domains have the classes stated`;
  return `${what} in real arithmetic, which is not what a device computes; weights sha256 ${weights}`;
}
module.exports = { NETWORK_CLAIMS: { argmax, enclosure }, readNetworkHeader: readHeader, networkWords };

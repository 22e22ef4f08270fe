// node check.js CERT.. [--json] [--weights FILE] [--max-LIMIT N]: is the claim (`interpolation`, `decision`, `argmax`,
// `enclosure`, `recognition` or `no-recogniser`) true? See README.md.
'use strict';
const fs = require('node:fs');
const { createHash } = require('node:crypto');
const { limits, spent, refuse } = require('./budget.js');
const { malformed, lines, parse, fields, vector } = require('./reader.js');
const { decision } = require('./decision.js');
const { feedForward, selfAttention, rowOf, merged, settled } = require('./transformer.js');
const { softFeedForward, softAttention, readRange, rangeWords, checkBoxes, readMargin, marginWords, checkMargin, EXACT } = require('./boxes.js');
const { LANGUAGE_CLAIMS, readLanguageHeader, languageWords } = require('./recognition.js');
const { NETWORK_CLAIMS, readNetworkHeader, networkWords } = require('./network_claims.js');

const EXIT = { accepted: 0, rejected: 1, usage: 2, malformed: 3, declined: 4, bug: 70 };
/** Claim -> the version of the format that brought it. */
const CLAIMS = new Map([
  ...'interpolation infeasible orbit limit vertex separation projection counterexample'.split(' ').map((c) => [c, 0]),
  ...'decision recurrence positive-window loss zero-temperature laplace'.split(' ').map((c) => [c, 1]),
  ...'argmax enclosure recognition no-recogniser'.split(' ').map((c) => [c, 2]),
]);

/** The header of `decision`. */
function readCounts(line) {
  const [dim, tokens, layers] = fields(line, ['dim', 'tokens', 'layers', 'exactformer', 'version', 'claim'], 'header');
  if (![dim, tokens, layers].every(Number.isInteger) || dim < 1 || tokens < 1) malformed('wrong count');
  return { dim, tokens, layers };
}
function readHeader(line, report, weights) {
  if (!(line instanceof Map) || line.get('exactformer') !== 'certificate') malformed('this is no certificate');
  const minor = ['[1,0]', '[1,1]', '[1,2]'].indexOf(JSON.stringify(line.get('version')));
  if (minor < 0) malformed('version: expected [1,0], [1,1] or [1,2]');
  if (!(CLAIMS.get(line.get('claim')) <= minor)) malformed('unknown claim');
  report.claim = line.get('claim');
  if (NETWORK_CLAIMS[report.claim]) return readNetworkHeader(line, report.claim);
  if (weights !== null) refuse('declined', '--weights: this claim has no weights');
  if (LANGUAGE_CLAIMS[report.claim]) return readLanguageHeader(line, report.claim);
  if (report.claim === 'decision') return readCounts(line);
  if (report.claim !== 'interpolation') refuse('declined', `this checker does not know ${report.claim}`);
  const keys = ['attention', 'dim', 'blocks', 'sequences', 'exactformer', 'version', 'claim'];
  const soft = minor >= 1 && line.has('beta');
  const [attention, dim, blocks, sequences] = fields(line, soft ? [...keys, 'beta', 'bits'] : keys, 'header');
  if (attention !== 'hardmax' && attention !== 'softmax') malformed('attention: expected "hardmax" or "softmax"');
  if (![dim, blocks, sequences].every(Number.isInteger) || dim < 1 || sequences < 1) malformed('wrong count');
  if (soft && attention !== 'softmax') malformed('beta and bits are for softmax');
  const range = soft ? readRange(line.get('beta'), line.get('bits')) : null;
  return { attention, dim, blocks, sequences, range, mayMove: minor >= 1 && !soft };
}
function readBlock(line, index, { dim, attention, range }) {
  const [block, first, second] = fields(line, ['block', 'feed_forward', 'self_attention'], 'block line');
  if (block !== index) malformed(`expected block ${index}`);
  if (range !== null) {
    const boxed = first === null ? [] : [softFeedForward(first, dim, range)];
    return second === null ? boxed : [...boxed, softAttention(second, dim, range)];
  }
  const parts = [first === null ? null : feedForward(first, dim), second === null ? null : selfAttention(second, dim)];
  if (attention === 'softmax' && parts[1]?.zero === false) refuse('rejected', 'softmax: neither Q nor K is zero');
  return parts.filter((part) => part !== null);
}
/** The distinct points of a point list: text -> row with its weight. */
function points(value, dim, what) {
  if (!Array.isArray(value) || value.length === 0) malformed(`${what}: expected a nonempty list of points`);
  const rows = function* () { for (const point of value) yield { ...rowOf(vector(point, dim, what)), weight: 1n }; };
  return merged(rows());
}
/** Labels and target sets correspond one to one. */
function checkLabel(label, wanted, { targetsOf, labelOf }) {
  if (typeof label !== 'string' || /\p{Surrogate}/u.test(label)) malformed('label: no string, or a lone surrogate');
  const targets = [...wanted.keys()].sort().join(';');
  if ((targetsOf.get(label) ?? targets) !== targets) refuse('rejected', 'the label stood for other targets before');
  if ((labelOf.get(targets) ?? label) !== label) refuse('rejected', 'these targets had another label before');
  targetsOf.set(label, targets);
  labelOf.set(targets, label);
}
function checkSequence(line, index, { dim, range, margin }, parts, labels) {
  labels.used ??= line instanceof Map && line.has('label');
  const keys = ['sequence', 'tokens', 'targets', ...(labels.used ? ['label'] : [])];
  const [sequence, tokens, targets, label] = fields(line, keys, 'sequence line');
  if (sequence !== index) malformed(`expected sequence ${index}`);
  const inputs = points(tokens, dim, 'tokens'), wanted = points(targets, dim, 'targets');
  if (wanted.size !== targets.length) malformed('targets: a point stands there twice');
  if (labels.used) checkLabel(label, wanted, labels);
  if (margin) return checkMargin([...inputs.values()], [...wanted.values()], parts, margin);
  if (range !== null) return checkBoxes([...inputs.values()], [...wanted.values()], parts);
  const outputs = merged(parts.reduce(settled, [...inputs.values()]));
  if ([...outputs.keys()].some((point) => !wanted.has(point))) refuse('rejected', 'an output token is no target');
  if (outputs.size !== wanted.size) refuse('rejected', 'a target is no output token');
}
/** Returns only if every obligation was discharged and the end line was reached. */
function check(fd, report, weights) {
  const source = lines(fd), digest = createHash('sha256'), subject = createHash('sha256'), parts = [];
  const labels = { targetsOf: new Map(), labelOf: new Map() };
  let ahead = null; // a line that was looked at, and its value
  const read = () => {
    report.line++;
    const { value: line, done } = source.next();
    if (done) malformed('the certificate ends before its end line');
    return { line, value: parse(line) };
  };
  const next = (...hashes) => {
    const { line, value } = ahead ?? read();
    ahead = null;
    for (const hash of hashes) hash.update(line).update('\n');
    return value;
  };
  const header = readHeader(next(digest), report, weights), plain = () => next(digest), named = () => next(digest, subject);
  let facts = header;
  if (NETWORK_CLAIMS[report.claim]) facts = NETWORK_CLAIMS[report.claim](header, plain, named, weights);
  else if (LANGUAGE_CLAIMS[report.claim]) facts = LANGUAGE_CLAIMS[report.claim](header, plain, named);
  else if (report.claim === 'decision') facts = decision(header, plain, named);
  else {
    if (header.mayMove) ahead = read();
    if (ahead?.value instanceof Map && ahead.value.has('margin')) Object.assign(header, { margin: readMargin(next(digest)), range: EXACT });
    for (let i = 0; i < header.blocks; i++) parts.push(...readBlock(plain(), i, header));
    const held = spent.memory;
    for (let i = 0; i < header.sequences; i++, spent.memory = held) { // a sequence is forgotten when it is done
      checkSequence(named(), i, header, parts, labels);
    }
  }
  const [end, sha256] = fields(next(), ['end', 'sha256'], 'end line');
  if (end !== true || sha256 !== digest.digest('hex')) malformed('wrong digest, or no end line');
  if (!source.next().done) malformed('something follows the end line');
  const { range, margin, mayMove, ...rest } = facts;
  return { ...rest, ...(margin ? marginWords(margin) : range && rangeWords(range)), subject_sha256: subject.digest('hex') };
}
/** What was proved. */
function words(facts) {
  const { sequences, at, tokens, layers, positive, deeper } = facts;
  if (facts.weights) return networkWords(facts);
  if (facts.letters) return languageWords(facts);
  if (sequences) return `${sequences} sequences have their targets as outputs${at ?? ''}`;
  const depth = `after ${layers} layers${deeper ? ' and at every larger depth' : ''}`;
  return `${tokens} tokens ${depth}: the decision is ${positive ? 'positive' : 'negative'}, the leaders are as stated`;
}
function judged(path, weights) {
  const report = { claim: null, line: 0 }, fd = fs.openSync(path);
  Object.assign(spent, { operations: 0, memory: 0 });
  try {
    const facts = check(fd, report, weights);
    const why = `${words(facts)}; subject sha256 ${facts.subject_sha256}`;
    return { verdict: 'accepted', claim: report.claim, where: null, why, ...facts };
  } catch (error) {
    if (!error.verdict && !(error instanceof RangeError)) throw error; // RangeError: larger than the engine can hold
    const { verdict = 'declined', message: why } = error;
    return { verdict, claim: report.claim, where: `line ${report.line}`, why };
  } finally { fs.closeSync(fd); }
}
/** The exit code: of several certificates the largest one, so that 0 means that all were accepted. */
function main(args) {
  const paths = [], json = args.includes('--json');
  let weights = null;
  for (let i = 0; i < args.length; i++) {
    const limit = Object.keys(limits).find((name) => args[i] === `--max-${name}`);
    if (limit && /^[1-9][0-9]{0,14}$/.test(args[i + 1])) limits[limit] = Number(args[++i]);
    else if (args[i] === '--weights') weights = args[++i] ?? '';
    else if (args[i] !== '--json') paths.push(args[i]);
  }
  const there = (path) => fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
  const lost = [...paths, ...(weights === null ? [] : [weights])].find((path) => !there(path));
  if (paths.length === 0 || lost !== undefined) {
    if (lost !== undefined) process.stderr.write(`no such file: ${lost}\n`);
    process.stderr.write('usage: node check.js CERT.. [--json] [--weights FILE] [--max-bytes|line|digits|bits|operations|memory N]\n');
    return EXIT.usage;
  }
  return Math.max(...paths.map((path) => {
    const answer = judged(path, weights), { verdict, claim, where, why } = answer;
    process.stdout.write(json ? `${JSON.stringify(answer)}\n` : `${verdict}: ${where ?? claim}: ${why}\n`);
    return EXIT[verdict];
  }));
}
try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = EXIT.bug; // never node's own 1, which would mean "rejected"
}

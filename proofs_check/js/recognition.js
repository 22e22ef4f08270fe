// The claims `recognition` and `no-recogniser` (FORMAT.md, section 17): headers, words by definition, counters.
'use strict';
const { spend } = require('./budget.js');
const { malformed, fields } = require('./reader.js');
const { holds, shaped, index, plus, scaled, times, placed, sign, isRight, readAutomaton, run, readRecogniser, readWord } = require('./recogniser.js');
const { score, checkAll } = require('./closure.js');

// ---- words by definition ----

function chosen(head, scores, i) {
  const from = { after: i + 1, from: i }[head.mask] ?? 0, to = { before: i, upto: i + 1 }[head.mask] ?? scores.length;
  if (from >= to) return [];
  let best = [];
  for (let j = from; j < to; j++) {
    const order = best.length ? scores[j][0] * scores[best[0]][1] - scores[best[0]][0] * scores[j][1] : 1n;
    if (order > 0n) best = [j];
    else if (order === 0n) best.push(j);
  }
  return head.ties === 'all' ? best : head.ties === 'first' ? best.slice(0, 1) : best.slice(-1);
}
/** y plus the mean of the values that position i follows. */
function attended(head, query, keys, values, i, y) {
  const follows = chosen(head, keys.map((key) => score(query, key)), i);
  if (!follows.length) return y;
  const total = follows.map((j) => values[j]).reduce((x, z) => plus(x, z));
  return plus(total, y, { n: 1n, d: BigInt(follows.length) });
}
function afterBlock({ feed, rho, heads }, tokens) {
  const fed = feed === null ? tokens : tokens.map(feed);
  return heads.reduce((outputs, head) => {
    const [queries, keys, values] = [head.Q, head.K, head.V].map((M) => fed.map((x) => times(M, x)));
    return outputs.map((y, i) => attended(head, queries[i], keys, values, i, y));
  }, fed.map((x) => scaled(x, rho)));
}
function verdict(r, word) {
  const rows = [r.begin, ...word.map((k) => r.tokens[k]), r.end].filter((x) => x !== null);
  spend(20 * rows.length);
  const tokens = r.blocks.reduce((xs, block) => afterBlock(block, xs), rows.map((x, i) => placed(r, x, i, rows.length)));
  return tokens.length ? sign(r, tokens[r.at === 'first' ? 0 : tokens.length - 1]) : null;
}
const agrees = (automaton, r, word) => isRight(r, verdict(r, word), automaton.accepting.has(run(automaton, automaton.start, word)));
function numberOfWords({ letters, length }) {
  let layer = 1, words = 1;
  for (let n = 0; n < length && letters > 1 && words < 1e18; n++) words += layer *= letters;
  return letters === 1 ? length + 1 : words;
}
function checkUpTo(header, automaton, r) {
  const { letters, length } = header, words = numberOfWords(header);
  spend(200 * words);
  if (readsThePast(r)) checkPrefixes(header, automaton, r);
  else for (let n = 0; n <= length; n++) {
    const word = new Array(n).fill(0);
    for (let i = 0; i >= 0;) {
      holds(agrees(automaton, r, word), `the verdict on the word [${word}] is not the automaton's`);
      for (i = n - 1; i >= 0 && ++word[i] === letters; i--) word[i] = 0;
    }
  }
  return words;
}

// ---- words along shared prefixes ----

/** Whether what a prefix has computed is what every word that begins with it computes there. */
function readsThePast(r) {
  const past = r.blocks.every(({ heads }) => heads.every(({ kind }) => kind === 'past'));
  return past && r.at === 'last' && r.end === null && r.features.every(({ ratio = [] }) => ratio.every((terms) => terms.every(({ b }) => b === 0)));
}
/** A word that grows and shrinks at its end: per block and head the keys and the values of its positions. */
function prefixOf(r) {
  const columns = r.blocks.map(({ heads }) => heads.map(() => ({ keys: [], values: [] })));
  let length = 0;
  const push = (x) => {
    const last = r.blocks.reduce((token, { feed, rho, heads }, b) => {
      const fed = feed === null ? token : feed(token);
      return heads.reduce((y, head, h) => {
        const { keys, values } = columns[b][h];
        keys.push(times(head.K, fed));
        values.push(times(head.V, fed));
        return attended(head, times(head.Q, fed), keys, values, length, y);
      }, scaled(fed, rho));
    }, placed(r, x, length, length + 1));
    length++;
    return sign(r, last);
  };
  const pop = () => {
    length--;
    columns.flat().forEach(({ keys, values }) => { keys.pop(); values.pop(); });
  };
  return { push, pop };
}
function checkPrefixes({ letters, length }, automaton, r) {
  const prefix = prefixOf(r), word = [], states = [automaton.start];
  const shorten = () => { prefix.pop(); states.pop(); return word.pop(); };
  let out = r.begin === null ? null : prefix.push(r.begin);
  for (;;) {
    const state = states[states.length - 1];
    holds(isRight(r, out, automaton.accepting.has(state)), `the verdict on the word [${word}] is not the automaton's`);
    let next = 0;
    if (word.length === length) {
      while (word.length && word[word.length - 1] === letters - 1) shorten();
      if (!word.length) return;
      next = shorten() + 1;
    }
    word.push(next);
    states.push(automaton.next[states[states.length - 1]][next]);
    out = prefix.push(r.tokens[next]);
  }
}

// ---- the claims ----

const counts = (line, keys) => {
  const found = Object.fromEntries(keys.map((key) => [key, line.get(key)]));
  for (const key of keys) index(found[key], key === 'blocks' || key === 'length' ? 0 : 1, 1e15);
  return found;
};
const COMMON = ['exactformer', 'version', 'claim', 'dim', 'letters', 'states'];
function readLanguageHeader(line, claim) {
  if (claim === 'no-recogniser') {
    const period = fields(line, [...COMMON, 'period'], 'header')[6], found = counts(line, ['dim', 'letters', 'states']);
    shaped(found.dim === 1, '"dim" must be 1');
    if (period !== null) index(period, 1, 1e15);
    return { ...found, period };
  }
  const size = line.has('length') ? 'length' : 'product', keys = [...COMMON, 'blocks', size, 'scope'];
  const scope = fields(line, keys, 'header')[8], scopes = size === 'length' ? ['word', 'upto'] : ['all'];
  shaped(scopes.includes(scope), `"scope" must be one of ${scopes}`);
  return { ...counts(line, ['dim', 'letters', 'states', 'blocks', size]), scope };
}
function recognition(header, next, subject) {
  const automaton = readAutomaton(subject(), header), r = readRecogniser(subject, header), facts = { ...header };
  if (header.scope === 'all') checkAll(header, next, automaton, r);
  else if (header.scope === 'upto') facts.words = checkUpTo(header, automaton, r);
  else {
    const word = readWord(fields(next(), ['word'], 'word line')[0], header.letters, header.length);
    holds(!agrees(automaton, r, word), "the verdict on the word is the automaton's");
  }
  return facts;
}
/** Rule 14. */
function noRecogniser(header, next, subject) {
  const { period, letters, states } = header, automaton = readAutomaton(subject(), header);
  const [p, ...words] = fields(next(), ['p', 'x', 'u', 'z', ...(period === null ? ['e'] : [])], 'counter line');
  const [x, u, z, e = []] = words.map((word) => readWord(word, letters));
  index(p, 2, states + 1);
  if (u.length === 0) malformed('u must not be empty');
  holds(period === null ? e.length === u.length : u.length % period === 0, 'u has the wrong length');
  spend(8 * (x.length + p * (u.length + e.length) + 2 * z.length));
  const first = run(automaton, automaton.start, x);
  let q = first;
  for (let i = 0; i < p; i++) {
    holds(run(automaton, q, e) === q, 'e does not fix a state of the cycle of u');
    q = run(automaton, q, u);
  }
  holds(q === first, `u^${p} does not lead back to the state of x`);
  const [one_, two] = [first, run(automaton, first, u)].map((state) => automaton.accepting.has(run(automaton, state, z)));
  holds(one_ !== two, 'z does not separate the states of x and of xu');
  return header;
}
function languageWords({ scope, product, length, words, letters, states, period }) {
  const which = `the automaton (${states} states, ${letters} letters)`;
  if (scope === undefined) {
    const features = period === null ? 'whatever their periods' : `of periods that divide ${period}`;
    return `no recogniser with unique ties and periodic features ${features} has the verdicts of ${which}`;
  }
  if (scope === 'word') return `the recogniser has not the verdict of ${which} on a word of ${length} letters`;
  const where = scope === 'all' ? `words of every length, by ${product} states` : `all ${words} words of at most ${length} letters`;
  return `the recogniser has the verdict of ${which} on ${where}`;
}
module.exports = { LANGUAGE_CLAIMS: { recognition, 'no-recogniser': noRecogniser }, readLanguageHeader, languageWords };

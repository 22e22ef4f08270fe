// The cards beside the picture.
'use strict';
const { $, make, fill } = require('./dom.js');
const { short } = require('./numbers.js');
const { coordinates } = require('./layers.js');

const list = (items) => (items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`);
const tokens = (indices) => `token${indices.length === 1 ? '' : 's'} ${list(indices.slice(0, 12))}${indices.length > 12 ? ', \u2026' : ''}`;
const grouped = (k) => String(k).replace(/\B(?=(\d{3})+$)/g, ',');
const members = (C) => (C.length > 6 ? `${C.slice(0, 6).join(', ')}, \u2026 (${C.length})` : C.join(', '));

/** A point, short; the exact one on hover. */
function point(row, rough) {
  const exact = row.map((x) => (typeof x === 'string' ? x : '\u2026')).join(', ');
  const parts = row.map((x, c) => (typeof x === 'string' ? short(x) : `\u2248${rough[c].toPrecision(4)}`));
  return make('span', { class: 'number', title: `(${exact})` }, ...whole(parts));
}
/** (x, y), of which no number is broken between two lines. */
const whole = (parts) => parts.map((text, c) => make('span', { class: 'whole' }, `${c ? '' : '('}${text}${c < parts.length - 1 ? ',' : ')'}`)).flatMap((part, c) => (c ? [' ', part] : [part]));

/** The card about limits. */
function proofCard(app) {
  const { proof, served } = app, body = $('proof-body');
  if (!served) return fill(body, ...withoutServer());
  if (!app.state.tokens.length) return fill(body, make('p', { class: 'soft' }, 'No tokens yet.'));
  if (app.proofProblem) return fill(body, make('p', { class: 'no' }, app.proofProblem));
  if (!proof) return fill(body, make('p', { class: 'soft' }, 'Proving\u2026'));
  body.classList.toggle('soft', app.proofStale);
  if (proof.undecided) return fill(body, make('p', {}, make('span', { class: 'badge warn' }, 'undecided')), make('p', {}, proof.undecided));
  return fill(body,
    make('p', {}, make('span', { class: 'badge yes' }, 'proved for all layers'), ' ', verdict(proof.verdict)),
    make('p', { class: 'big', id: 'proof-leaders' }, `${proof.leaders.length === 1 ? 'Leader' : 'Leaders'}: ${proof.leaders.length ? tokens(proof.leaders).replace(/^tokens? /, '') : 'none'}.`),
    ...lateLeaders(proof),
    make('p', { id: 'proof-from' }, settled(proof)),
    make('p', { id: 'proof-clusters' }, `${proof.clusters.length} ${proof.clusters.length === 1 ? 'cluster' : 'clusters'}. `, ...kinds(proof)),
    ...proof.hypotheses_violated.map((words) => make('p', { class: 'warn' }, `Outside the theorem: ${words}.`)),
    ...proof.theorem.filter((clause) => !clause.holds).map((clause) => make('p', { class: 'warn' }, `Fails here: ${clause.text}.`)),
    make('div', { class: 'bar' }, make('button', { class: 'main', onclick: () => app.certificate(), disabled: !proof.certifiable }, 'Download the certificate'),
      globalThis.proofsCheckVerified ? make('button', { id: 'check-here', onclick: () => app.checkHere(), disabled: !proof.certifiable, title: 'By the checker proved correct, in this browser' }, 'Check here') : null,
      make('button', { onclick: () => app.simplify(), title: 'The same course with smaller numbers' }, 'Simplify the numbers')),
  );
}
function verdict(found) {
  if (!found) return '';
  const text = found.verdict === 'accepted' ? 'accepted by the independent checker' : `the independent checker: ${found.verdict}`;
  return make('span', { class: found.verdict === 'accepted' ? 'badge yes' : 'badge no', title: found.why, id: 'proof-verdict' }, text);
}
/** When the follower sets change, and that they do not after that. */
function settled({ changes, proved_from_layer: last }) {
  if (!changes.length) return 'The follower sets never change.';
  const few = changes.length <= 8 ? `at ${changes.length === 1 ? 'layer' : 'layers'} ${list(changes.map(grouped))}` : `at many layers, for the last time at layer ${grouped(last)}`;
  return `The follower sets change ${few}, and never again.`;
}
function lateLeaders(proof) {
  const late = Object.entries(proof.leads_from).filter(([, layer]) => layer > 0).sort((x, y) => x[1] - y[1]);
  return late.slice(0, 4).map(([i, layer]) => make('p', { class: 'late' }, `Token ${i} becomes a leader at layer ${grouped(layer)}.`));
}
function kinds(proof) {
  const projections = proof.kinds.flatMap((kind, i) => (kind === 'projection' ? [i] : []));
  const corner = proof.polytope.length > proof.leaders.length ? 'at a leader, or where several equal tokens lead together' : 'at a leader';
  const text = projections.length ? `${tokens(projections)} ${projections.length === 1 ? 'ends' : 'end'} between leaders, at the projection of the origin onto a face (\u25c7).` : `Every token ends ${corner}.`;
  return [text.charAt(0).toUpperCase() + text.slice(1)];
}
function withoutServer(words = 'The layers in the picture are exact, and computed in your browser. Proofs for all layers, certificates and statements come from the Python library:') {
  return [
    make('p', {}, words),
    make('pre', {}, 'pip install exactformer\nexactformer play'),
  ];
}

/** The card about float64. */
function floatCard(app) {
  const { result, state } = app, body = $('floats-body');
  if (!result?.exact.length) return fill(body);
  const last = result.exact.length - 1, moved = departed(app, last);
  const departs = $('departs'), ends = moved.length > 0;
  departs.hidden = !ends;
  departs.textContent = state.float ? 'float64 ends elsewhere' : 'float64 ends elsewhere: show it';
  const button = (text, act) => make('button', { onclick: act }, text);
  if (!result.difference) {
    const found = ends ? make('span', { class: 'badge no' }, 'ends elsewhere') : make('span', { class: 'badge yes' }, 'agrees');
    return fill(body, make('p', { id: 'float-words' }, found, ` Up to layer ${last} float64 follows the same tokens as exact arithmetic${ends ? ', but not for ever' : ''}.`),
      ends ? apart(app, moved[0]) : make('p', { class: 'soft' }, 'Try ties: drag a token along a dotted line, where its disc is cut in two colours, or mirror a token and turn everything by an angle of the list.'));
  }
  const { layer, tokens: wrong } = result.difference, i = wrong[0];
  return fill(body,
    make('p', { id: 'float-words' }, make('span', { class: 'badge no' }, ends ? 'ends elsewhere' : 'differs'), ` At layer ${layer} float64 makes ${tokens(wrong)} follow others than exact arithmetic does.`),
    make('p', {}, `Token ${i} follows {${members(result.exact[layer].follows[i])}}; in float64 {${members(result.floats[layer].follows[i])}}.`),
    ends ? apart(app, moved[0]) : null,
    make('div', { class: 'bar' }, button(`Show layer ${layer}`, () => app.setLayer(layer)), state.float ? null : button('Show float64', () => app.toggleFloat())),
  );
}
/** The tokens that float64 carries elsewhere: where it rests against the proved limits, or else at the last layer against the exact one. */
function departed(app, layer) {
  const { result, size } = app, known = Boolean(result.rest && limitsOf(app)), tolerance = (known ? 1e-6 : 0.01) * size;
  const [ends, floats] = known ? [limitsOf(app), result.rest] : [result.exact[layer].points, result.floats[layer].points];
  return ends.flatMap((x, i) => (Math.hypot(...x.map((a, c) => a - floats[i][c])) > tolerance ? [i] : []));
}
/** The proved limits in floats, if they and the layers are those of the tokens shown. */
const limitsOf = ({ proof, proofStale, result, question }) => (!proofStale && result.id === question ? proof?.approx_limits : null);
/** Where a token ends, and where it is in float64. */
function apart(app, i) {
  const { result, proof } = app, floats = (x) => `(${x.map((a) => String(Number(a.toPrecision(5)))).join(', ')})`;
  if (!result.rest || !limitsOf(app)) return make('p', {}, `At layer ${result.exact.length - 1} token ${i} is at ${floats(result.exact.at(-1).points[i])}; in float64 at ${floats(result.floats.at(-1).points[i])}.`);
  return make('p', {}, `Token ${i} tends to `, point(proof.limits[i], proof.approx_limits[i]), `; in float64 it comes to rest at ${floats(result.rest[i])}.`);
}

/** The table of tokens; its fields take exact numbers. */
function tokenTable(app) {
  const table = $('table'), { state } = app, d = state.tokens[0]?.length ?? 2, key = `${state.tokens.length}/${d}/${app.served}`;
  $('count').textContent = `${state.tokens.length} in dimension ${d}`;
  if (table.dataset.key !== key) {
    table.dataset.key = key;
    const names = d <= 3 ? ['x', 'y', 'z'].slice(0, d) : state.tokens[0].map((_, c) => `x${c + 1}`);
    const head = make('tr', {}, ...['', ...names, 'follows', 'at this layer', ...(app.served ? ['tends to'] : [])].map((text) => make('th', { scope: 'col' }, text)));
    fill(table, head, state.tokens.map((row, i) => tokenRow(app, i, d)));
  }
  state.tokens.forEach((row, i) => updateRow(app, table.rows[i + 1], row, i));
}
function tokenRow(app, i, d) {
  const fields = Array.from({ length: d }, (_, c) => make('td', {}, make('input', {
    class: 'number', 'aria-label': `token ${i}, coordinate ${c + 1}`, autocomplete: 'off', spellcheck: 'false',
    onchange: (event) => app.typed(i, c, event.target), onfocus: () => app.select(i),
  })));
  return make('tr', {}, make('th', { scope: 'row' }, make('button', { class: 'link', onclick: () => app.select(i) }, String(i))), ...fields, make('td', {}), make('td', { class: 'number' }), app.served ? make('td', {}) : null);
}
function updateRow(app, line, row, i) {
  const layer = app.result?.exact[Math.min(app.state.layer, app.result.exact.length - 1)];
  line.classList.toggle('chosen', app.selected === i);
  row.forEach((text, c) => {
    const field = line.cells[c + 1].firstChild;
    if (document.activeElement !== field && field.value !== text) { field.value = text; field.classList.remove('bad'); }
  });
  const [follows, now, end] = [...line.cells].slice(row.length + 1);
  if (!layer?.num[i]) return;
  follows.textContent = layer.leaders.includes(i) && layer.follows[i].length === 1 ? 'itself' : members(layer.follows[i]);
  const exact = coordinates(layer, i);
  fill(now, whole(exact.map((x) => short(x, 6))));
  now.title = `(${exact.join(', ')})`;
  if (end) fill(end, app.proof?.limits?.[i] ? point(app.proof.limits[i], app.proof.approx_limits[i]) : '');
}

/** The statements of the catalogue on the tokens shown. */
function statementCard(app) {
  const body = $('statements-body'), summary = $('statements-summary');
  if (!app.served) return fill(body, ...withoutServer());
  if (!app.statements) return fill(body, make('p', { class: 'soft' }, 'Judging\u2026'));
  const count = (verdict) => app.statements.filter((s) => s.verdict === verdict).length;
  summary.textContent = `${count('true')} true, ${count('false')} false, ${count('outside')} do not apply`;
  const order = { false: 0, undecided: 1, true: 2, outside: 3 };
  const sorted = [...app.statements].sort((x, y) => order[x.verdict] - order[y.verdict]);
  return fill(body, hunting(app), make('ul', {}, ...sorted.map((found) => statementLine(app, found))));
}
const SIGNS = { true: ['\u2713', 'yes', 'true here'], false: ['\u2717', 'no', 'false here'], undecided: ['?', 'warn', 'undecided here'], outside: ['\u2013', 'soft', 'does not apply'] };
function statementLine(app, found) {
  const [sign, style, words] = SIGNS[found.verdict];
  const more = found.verdict === 'outside' ? `It asks that ${found.witness.hypothesis}.` : found.verdict === 'true' && found.status !== 'true' && found.nearness > 0 ? `Nearness to failing: ${found.nearness.toFixed(2)}.` : '';
  const line = make('div', {}, make('b', {}, found.name), ` ${found.words} `, make('span', { class: 'soft' }, more), ' ',
    found.verdict === 'false' ? make('button', { class: 'link', onclick: () => app.light(found) }, 'Show the witness') : null, ' ',
    found.verdict === 'false' ? make('button', { class: 'link', onclick: () => app.certificate(found.name) }, 'Certificate') : null, ' ',
    found.verdict === 'true' && found.status !== 'true' ? make('button', { class: 'link', onclick: () => app.hunt(found.name) }, 'Refute near here') : null);
  return make('li', { 'data-statement': found.name, 'data-verdict': found.verdict }, make('span', { class: `verdict ${style}`, title: words, 'aria-label': words }, sign), line);
}
/** The hunt that is going on, or what it found. */
function hunting({ hunted: found }) {
  if (!found) return null;
  const text = { running: `Looking near here for a counterexample to ${found.statement}: ${grouped(found.judged)} judged, the nearest at ${found.nearest.toFixed(2)}.`, refuted: `Refuted: a counterexample to ${found.statement} after ${grouped(found.judged)} instances.`, stands: `${found.statement} stands on ${grouped(found.judged)} instances near here, which proves nothing.`, stopped: 'Stopped.', failed: found.why };
  return make('div', { class: 'card', id: 'hunt' }, make('p', {}, text[found.state] ?? found.state),
    found.state === 'running' ? make('progress', { max: found.budget, value: found.judged }) : null,
    make('div', { class: 'bar' }, found.state === 'running' ? make('button', { onclick: found.stop }, 'Stop') : null,
      found.instance ? make('button', { class: 'main', onclick: found.show }, 'Show it') : null));
}

/** The fields of A, and why it was refused. */
function matrixFields(app) {
  const place = $('matrix'), A = app.draft ?? app.matrix(), d = A.length;
  $('ellipse-label').hidden = d !== 2;
  if (place.dataset.size !== String(d)) {
    place.dataset.size = d;
    fill(place, A.map((row, i) => make('div', { class: 'bar' }, ...row.map((_, c) => make('input', {
      class: 'number', 'aria-label': `A, row ${i + 1}, column ${c + 1}`, autocomplete: 'off', onchange: (event) => app.typedMatrix(i, c, event.target),
    })))));
  }
  [...place.querySelectorAll('input')].forEach((field, k) => {
    const text = A[Math.floor(k / d)][k % d];
    field.classList.toggle('bad', Boolean(app.draft) || (document.activeElement === field && field.classList.contains('bad')));
    if (document.activeElement !== field || !field.classList.contains('bad')) field.value = text;
  });
}

module.exports = { proofCard, floatCard, tokenTable, statementCard, matrixFields, grouped, verdict, withoutServer };

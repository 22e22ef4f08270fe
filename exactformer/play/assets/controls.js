// Buttons, sliders and menus around the picture.
'use strict';
const { $, make, fill, announce } = require('./dom.js');
const { outputs } = require('./outputs.js');
const { TURNS, fromFile } = require('./state.js');
const { read, nearest } = require('./numbers.js');

//: the fractions of the slider of alpha
const STEPS = ['1/100', '1/50', '1/20', '1/10', '1/8', '1/5', '1/4', '1/3', '1/2', '2/3', '3/4', '1', '5/4', '4/3', '3/2', '2', '5/2', '3', '4', '5', '8', '10', '20', '100'];
const value = (text) => { const { n, d } = read(text); return nearest(n, d); };

/** Ties the controls to the app, and teaches it to show itself in them. */
function controls(app) {
  const click = (id, act) => $(id).addEventListener('click', act);
  menus(app);
  click('surprise', () => app.surprise());
  click('undo', () => app.undo(-1));
  click('redo', () => app.undo(1));
  click('play', () => app.play());
  click('add', () => app.addToken());
  click('duplicate', () => app.duplicate());
  click('mirror-x', () => app.mirror(0));
  click('mirror-y', () => app.mirror(1));
  click('delete', () => app.removeToken());
  click('tie', () => app.hands.tie());
  click('departs', () => (app.state.float ? app.setLayer(app.result.difference?.layer ?? app.state.layer) : app.toggleFloat()));
  click('zoom-in', () => app.zoom(1.25));
  click('zoom-out', () => app.zoom(0.8));
  click('fit', () => app.fit());
  click('identity', () => { app.setMatrix(app.matrix().map((row, i) => row.map((_, c) => (i === c ? '1' : '0'))), null); app.commit(); });
  $('layer').addEventListener('input', (event) => { app.stop(); app.setLayer(Number(event.target.value)); });
  $('float').addEventListener('change', () => app.toggleFloat());
  $('ellipse').addEventListener('change', () => app.draw());
  $('statements').addEventListener('toggle', () => app.askStatements());
  $('grid').addEventListener('change', (event) => {
    const steps = Math.round(Number(event.target.value)), good = steps >= 1 && steps <= 1e6;
    if (good) app.state.grid = steps;
    else announce('The grid: expected a whole number from 1 to 1,000,000.');
    event.target.value = app.state.grid;
    app.keep();
    app.draw();
  });
  alpha(app);
  files(app);
  outputs(app);
  $('connection').textContent = app.served ? `Proofs by exactformer ${app.content.version}, on this machine` : 'Exact layers in your browser; proofs with exactformer play';
  app.controls = () => show(app);
}

function menus(app) {
  $('preset').append(...app.content.presets.map(({ group, members }) => make('optgroup', { label: group }, ...members.map(({ name }) => make('option', { value: name }, name)))));
  $('preset').addEventListener('change', (event) => app.choosePreset(event.target.value));
  $('turn').append(make('option', { value: '' }, 'an angle'), ...TURNS.map(([p, q, r], k) => make('option', { value: k }, `${Math.round((Math.atan2(q, p) * 180) / Math.PI)}\u00b0: cos ${p}/${r}`)));
  $('turn').addEventListener('change', (event) => { if (event.target.value !== '') app.turn(Number(event.target.value)); event.target.value = ''; });
  $('dimension').addEventListener('change', (event) => app.setDimension(Number(event.target.value)));
  $('dial-range').addEventListener('input', (event) => app.turnDial(Number(event.target.value)));
}

function alpha(app) {
  const range = $('alpha-range'), field = $('alpha');
  Object.assign(range, { min: 0, max: STEPS.length - 1, step: 1 });
  range.addEventListener('input', () => app.setAlpha(STEPS[range.value]));
  range.addEventListener('change', () => app.commit());
  field.addEventListener('change', () => {
    const good = app.setAlpha(field.value);
    field.classList.toggle('bad', !good);
    if (good) app.commit();
    else announce('alpha: expected a positive number such as 1/2 or 0.3.');
  });
}

function files(app) {
  const take = async (file) => {
    try {
      app.load(fromFile(await file.text()));
    } catch (problem) {
      announce(`${file.name}: ${problem.message}`);
    }
  };
  $('file').addEventListener('change', (event) => { if (event.target.files[0]) take(event.target.files[0]); });
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => { event.preventDefault(); if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]); });
}

/** The preset in its menu, what is said about it, and its dial. */
function showPreset(app, preset) {
  const { state } = app;
  $('preset').value = state.preset;
  $('words').textContent = preset ? preset.words || `A counterexample to: ${app.content.statements[preset.statement]}` : '';
  $('dial').hidden = !preset?.values;
  if (!preset?.values) return;
  $('dial-range').max = preset.values.length - 1;
  $('dial-range').value = state.dial;
  $('dial-name').textContent = preset.dial;
  $('dial-value').textContent = preset.values[state.dial].label;
}

/** The present state in the controls. */
function show(app) {
  const { state } = app, preset = state.preset ? app.presetNamed(state.preset) : null, last = Number($('layer').max);
  if (!app.hands.pointers.size) showPreset(app, preset); // nothing above the picture changes under a hand that drags
  $('undo').disabled = !app.history.can(-1);
  $('redo').disabled = !app.history.can(1);
  $('play').textContent = app.playing ? '\u275a\u275a' : '\u25b6';
  $('play').setAttribute('aria-label', app.playing ? 'Stop' : 'Play');
  $('layer').value = state.layer;
  $('layer-value').textContent = `layer ${state.layer} of ${last}`;
  $('float').checked = state.float;
  for (const id of ['duplicate', 'delete', 'mirror-x', 'mirror-y', 'tie']) $(id).disabled = app.selected === null;
  if (document.activeElement !== $('grid')) $('grid').value = state.grid;
  $('dimension').value = Math.min(app.dim, 3);
  if (document.activeElement !== $('alpha')) $('alpha').value = state.alpha;
  const size = value(state.alpha);
  $('alpha-range').value = STEPS.reduce((best, text, k) => (Math.abs(value(text) - size) < Math.abs(value(STEPS[best]) - size) ? k : best), 0);
  legend(app);
}

function legend(app) {
  const floats = app.state.float ? ' Red rings: where float64 has them; red arrows: whom it follows instead.' : '';
  const proved = app.proof?.limits && !app.proofStale ? ' Green: the proved polytope of the leaders, \u25c7 limits between them.' : '';
  fill($('legend'), `Stars lead; other tokens take the colour of the leader they follow, cut discs follow several, grey ones follow no leader yet. Dashed: the hull. Dotted while you drag: where the token ties between two others.${proved}${floats}`);
}

module.exports = { controls };

// Everything that can be taken along: a link, files, pictures, films, code.
'use strict';
const { $, make, offer, announce } = require('./dom.js');
const { gif } = require('./gif.js');
const { coordinates } = require('./layers.js');
const { standalone } = require('./picture.js');
const { sceneAt } = require('./scene.js');
const { toFile, toHash } = require('./state.js');
const { COLOURS } = require('./palette.js');

const FRAMES_A_LAYER = 6;

/** A program that computes the same with the library. */
function python({ tokens, A, alpha }) {
  const rows = (list) => `[${list.map((row) => `[${row.map((x) => (/^-?\d{1,15}$/.test(x) ? x : `"${x}"`)).join(', ')}]`).join(', ')}]`;
  const matrix = A ? `, A=${rows(A)}` : '';
  return `import exactformer as ef\n\ntokens = ef.Tokens(${rows(tokens)}${matrix}, alpha="${alpha}")\nlimit = ef.limit(tokens)  # proved for all layers\nprint(limit.leaders, limit.points)\nlimit.certify("limit.jsonl")\nprint(ef.check("limit.jsonl"))\n`;
}

/** The layer shown as a TikZ picture; coordinates to four decimals, the exact ones beside them as comments. */
function tikz(app) {
  const { state, result } = app, k = Math.min(state.layer, result.exact.length - 1), layer = result.exact[k], scene = sceneAt(app, k);
  const size = Math.max(...layer.points.flat().map(Math.abs), 1e-9), place = (x) => `(${scene.plane.flat(x).map((a) => ((3 * a) / size).toFixed(4)).join(',')})`;
  const colours = COLOURS.map((hex, i) => `\\definecolor{leader${i}}{HTML}{${hex.slice(1)}}`).join('\n');
  const name = (i) => { const rank = scene.ranks.get(i); return rank === undefined ? 'gray' : `leader${rank % COLOURS.length}`; };
  const arrows = layer.follows.flatMap((C, i) => C.filter((j) => j !== i).map((j) => `\\draw[->, gray, shorten >=4pt, shorten <=3pt] ${place(layer.points[i])} -- ${place(layer.points[j])};`));
  const hull = layer.hull.length > 2 ? [`\\draw[dashed, gray] ${layer.hull.map((i) => place(layer.points[i])).join(' -- ')} -- cycle;`] : [];
  const marks = layer.points.map((x, i) => {
    const leads = layer.leaders.includes(i), style = leads ? `star, star points=5, star point ratio=2.2, minimum size=10pt, fill=${name(i)}` : `circle, minimum size=6pt, fill=${name(layer.follows[i][0])}`;
    return `\\node[${style}, inner sep=0pt, label={[font=\\scriptsize]45:$${i}$}] at ${place(x)} {}; % (${coordinates(layer, i).join(', ')})`;
  });
  const head = `% layer ${k}, alpha = ${state.alpha}${state.A ? `, A = ${JSON.stringify(state.A)}` : ''}; needs \\usetikzlibrary{shapes.geometric}`;
  return [head, '\\begin{tikzpicture}', colours, ...hull, ...arrows, ...marks, '\\end{tikzpicture}', ''].join('\n');
}

const caption = (state, k) => `layer ${k}, \u03b1 = ${state.alpha}`;
const svg = (app) => standalone(sceneAt(app, app.state.layer), caption(app.state, app.state.layer));

/** An SVG text drawn on a canvas, so many times as large. */
async function drawn(text, { width, height }, times) {
  const canvas = make('canvas', { width: Math.round(width * times), height: Math.round(height * times) });
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  await image.decode();
  URL.revokeObjectURL(image.src);
  canvas.getContext('2d', { willReadFrequently: true }).drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}
const blob = (canvas, type) => new Promise((done) => canvas.toBlob(done, type));
const png = async (app) => blob(await drawn(svg(app), app.plane, 2), 'image/png');

/** The moments of a film: up to the layer at which nothing is seen to move any more. */
function moments(app) {
  const { exact } = app.result, last = exact.at(-1).points;
  const still = (k) => exact[k].points.every((x, i) => Math.hypot(...x.map((a, c) => a - last[i][c])) * app.plane.scale < 1);
  const end = Math.max(1, exact.findIndex((_, k) => still(k)) + 1 || exact.length - 1);
  return Array.from({ length: Math.min(end, exact.length - 1) * FRAMES_A_LAYER + 1 }, (_, f) => f / FRAMES_A_LAYER);
}
async function* film(app, width) {
  for (const at of moments(app)) {
    const text = standalone(sceneAt(app, at), caption(app.state, Math.floor(at)));
    yield drawn(text, app.plane, width / app.plane.width);
  }
}
async function gifFile(app) {
  const frames = [];
  for await (const canvas of film(app, 480)) frames.push(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height));
  return new Blob(gif(frames, 7), { type: 'image/gif' });
}
async function webmFile(app) {
  const canvas = make('canvas', { width: 720, height: Math.round((720 * app.plane.height) / app.plane.width) }), parts = [];
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm' });
  recorder.ondataavailable = (event) => parts.push(event.data);
  const ended = new Promise((done) => { recorder.onstop = done; });
  recorder.start();
  for await (const frame of film(app, 720)) {
    canvas.getContext('2d').drawImage(frame, 0, 0);
    await new Promise((done) => setTimeout(done, 70));
  }
  recorder.stop();
  await ended;
  return new Blob(parts, { type: 'video/webm' });
}

/** Name of the file, its type, and what makes its content. */
const FILES = [
  ['tokens.json', 'application/json', (app) => `${JSON.stringify(toFile(app.state))}\n`],
  ['tokens.py', 'text/x-python', (app) => python(app.state)],
  ['layer.svg', 'image/svg+xml', svg],
  ['layer.png', 'image/png', png],
  ['layer.tex', 'text/x-tex', tikz],
  ['film.gif', 'image/gif', gifFile],
  ['film.webm', 'video/webm', webmFile],
];

/** The buttons of the card. */
function outputs(app) {
  app.files = FILES;
  const save = async ([name, type, content], button) => {
    button.disabled = true;
    try {
      offer(name, await content(app), type);
    } catch (problem) {
      announce(`${name}: ${problem.message}`);
    }
    button.disabled = false;
  };
  const link = async () => {
    const address = `${location.origin === 'null' ? 'file://' : location.origin}${location.pathname}${toHash(app.state)}`;
    await navigator.clipboard?.writeText(address).then(() => announce('The link is copied.'), () => announce('The link is in the address bar.'));
  };
  $('outputs').append(make('button', { class: 'main', onclick: link }, 'Copy the link'), ...FILES.map((file) => make('button', { 'data-file': file[0], onclick: (event) => save(file, event.target) }, file[0])));
}

module.exports = { outputs };

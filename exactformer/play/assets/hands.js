// Pointer, touch and keyboard on the picture.
'use strict';
const { $, make, announce } = require('./dom.js');
const { whyNotDefinite } = require('./matrices.js');
const { read, write, snapped, plus, fraction, nearest } = require('./numbers.js');
const { tieLines, nearestTie, nextTie } = require('./ties.js');

const SVG = 'http://www.w3.org/2000/svg';
//: pixels from which a tie attracts a dragged token, and around the origin, where all ties meet, in which none does
const ATTRACTED = 8, MEETING = 24;
//: pixels that a finger moves without meaning it
const STILL = 3;
const KEYS = [
  ['Tab', 'from token to token'], ['Arrow keys', 'move the token by a step of the grid; with Shift ten steps'],
  ['Page Up, Page Down', 'move it along z, in space'], ['N', 'add a token'], ['D', 'duplicate'], ['M, Shift+M', 'mirror image'], ['X', 'move the token to the nearest place where it ties; again: to the next one'],
  ['T, R', 'turn and raise the view, in space; with Shift the other way'], ['Delete', 'delete'], ['Space', 'play or stop'], [', and .', 'one layer back or on'], ['F', 'float64 beside it'], ['S', 'surprise me'],
  ['Ctrl+Z, Ctrl+Shift+Z', 'undo, redo'], ['+, \u2212, 0', 'zoom in, zoom out, show everything'], ['Esc', 'let go of the token'],
];

class Hands {
  constructor(app) {
    this.app = app;
    this.svg = $('picture');
    this.handles = [];
    this.pointers = new Map();
    this.lines = [];
    this.svg.addEventListener('pointerdown', (event) => this.down(event));
    this.svg.addEventListener('pointermove', (event) => this.move(event));
    for (const end of ['pointerup', 'pointercancel']) this.svg.addEventListener(end, (event) => this.up(event));
    this.svg.addEventListener('dblclick', (event) => this.twice(event));
    this.svg.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    document.addEventListener('keydown', (event) => this.key(event));
    $('keys').append(...KEYS.flatMap(([key, what]) => [make('dt', {}, make('kbd', {}, key)), make('dd', {}, what)]));
  }

  /** One focusable handle per token, at its place in layer 0. */
  place(group) {
    const { app } = this, { plane, state } = app;
    while (this.handles.length > state.tokens.length) this.handles.pop().forEach((element) => element.remove());
    while (this.handles.length < state.tokens.length) this.handles.push(this.handle(this.handles.length, group));
    this.handles.forEach(([origin, handle, ring], i) => {
      const [x, y] = plane.screen(app.start[i]), chosen = app.selected === i;
      for (const element of [origin, handle, ring]) {
        element.setAttribute('cx', x.toFixed(1));
        element.setAttribute('cy', y.toFixed(1));
      }
      const now = app.at > 0 && app.shown ? plane.screen(app.shown[i] ?? app.start[i]) : [x, y];
      origin.setAttribute('r', Math.hypot(now[0] - x, now[1] - y) > 8 ? 4 : 0);
      ring.classList.toggle('chosen', chosen);
      handle.setAttribute('aria-label', app.describe(i));
    });
  }
  handle(i, group) {
    const circle = (r, name) => {
      const element = document.createElementNS(SVG, 'circle');
      element.setAttribute('r', r);
      element.setAttribute('class', name);
      return element;
    };
    const parts = [circle(4, 'origin'), circle(16, 'handle'), circle(15, 'ring')];
    parts[1].setAttribute('tabindex', '0');
    parts[1].setAttribute('role', 'button');
    parts[1].dataset.token = i;
    parts[1].addEventListener('focus', () => this.app.select(i));
    group.append(...parts);
    return parts;
  }
  focus(i) { this.handles[i]?.[1].focus({ preventScroll: true }); }

  where(event) {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
  down(event) {
    const at = this.where(event), token = event.target.dataset?.token ?? this.markAt(at);
    this.svg.setPointerCapture(event.pointerId);
    const end = this.app.ellipse?.ends.findIndex(([x, y]) => Math.hypot(x - at[0], y - at[1]) < 16) ?? -1;
    const grab = token !== undefined ? { token: Number(token) } : end >= 0 ? { end } : { background: true };
    this.pointers.set(event.pointerId, { at, ...grab });
    if (grab.token !== undefined) {
      const held = this.pointers.get(event.pointerId);
      Object.assign(held, { from: this.app.start[grab.token], row: this.app.state.tokens[grab.token], begin: at });
      this.lines = tieLines(this.app.state.tokens, this.app.matrix(), grab.token);
      this.focus(grab.token);
      this.app.select(grab.token);
      this.handles[grab.token][1].classList.add('held');
    } else if (grab.background) this.app.select(null);
    event.preventDefault();
  }
  /** The token whose mark is drawn at a pixel, in a later layer maybe, where it has no handle. */
  markAt([x, y]) {
    const { app } = this, found = app.at > 0 ? app.shown?.findLastIndex((point) => { const [a, b] = app.plane.screen(point); return Math.hypot(a - x, b - y) < 14; }) : -1;
    return found >= 0 ? found : undefined;
  }
  move(event) {
    const held = this.pointers.get(event.pointerId);
    if (!held) return;
    const at = this.where(event), { app } = this, [dx, dy] = [at[0] - held.at[0], at[1] - held.at[1]];
    const fingers = [...this.pointers.values()].filter((pointer) => pointer.background);
    if (held.token !== undefined) this.drag(held, at);
    else if (held.end !== undefined) this.bend(held.end, at);
    else if (fingers.length === 2) this.pinch(held, at, fingers.find((pointer) => pointer !== held));
    else if (app.plane.dim > 2) app.lookAround(dx / 150, dy / 150);
    else app.plane.centre = [app.plane.centre[0] - dx / app.plane.scale, app.plane.centre[1] + dy / app.plane.scale];
    held.at = at;
    app.draw();
  }
  pinch(held, at, other) {
    const spread = (point) => Math.hypot(point[0] - other.at[0], point[1] - other.at[1]);
    this.app.plane.zoom(spread(at) / Math.max(1, spread(held.at)), (at[0] + other.at[0]) / 2, (at[1] + other.at[1]) / 2);
  }
  /** The token goes where the pointer is, to a tie or on the grid; coordinates that the motion does not change stay as they are. */
  drag(held, at) {
    held.moved ||= Math.hypot(at[0] - held.begin[0], at[1] - held.begin[1]) > STILL;
    if (!held.moved) return;
    const { app } = this, { scale } = app.plane, motion = app.plane.motion(at[0] - held.begin[0], at[1] - held.begin[1]);
    const goal = motion.map((x, c) => held.from[c] + x), sticks = $('sticky').checked && Math.hypot(...goal) * scale > MEETING;
    const row = (sticks && nearestTie(this.lines, goal, app.state.grid, ATTRACTED / scale)) || held.row.map((text, c) => (Math.abs(motion[c] ?? 0) < 1e-12 ? text : write(snapped(held.from[c] + motion[c], app.state.grid))));
    app.moveToken(held.token, row);
  }
  /** A handle of the ellipse sets the size of A in its direction. */
  bend(end, at) {
    const { app } = this, [[a, b], [, c]] = app.matrix().map((row) => row.map(read));
    const size = Math.min(app.ellipse.size(end, at), 1e6), entries = [a, b, c];
    if (end < 2) entries[2 * end] = snapped(size, app.state.grid);
    else entries[1] = snapped(size - (nearest(a.n, a.d) + nearest(c.n, c.d)) / 2, app.state.grid); // size = (a + 2b + c)/2
    const [x, y, z] = entries.map(write), A = [[x, y], [y, z]];
    app.setMatrix(A, whyNotDefinite(A));
  }
  up(event) {
    const held = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (held?.token !== undefined) { this.handles[held.token]?.[1].classList.remove('held'); this.lines = []; }
    if (held && (held.token !== undefined || held.end !== undefined)) this.app.commit();
    else if (held) this.app.keep();
  }
  twice(event) {
    if (event.target.dataset?.token !== undefined) return;
    const grid = this.app.state.grid;
    this.app.addToken(this.app.plane.point(...this.where(event)).map((x) => write(snapped(x, grid))));
  }
  wheel(event) {
    event.preventDefault();
    this.app.plane.zoom(Math.exp(-event.deltaY / 400), ...this.where(event));
    this.app.draw();
  }

  key(event) {
    const field = event.target.closest?.('input:not([type=range], [type=checkbox]), select, textarea');
    const button = event.target.closest?.('button, summary, a, [type=checkbox], [type=range]');
    if (field || this.app.state.tab !== 'tokens' || event.altKey) return;
    const control = event.ctrlKey || event.metaKey, name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (control && name === 'z') this.app.undo(event.shiftKey ? 1 : -1);
    else if (control && name === 'y') this.app.undo(1);
    else if (control || (button && (name === ' ' || name === 'Enter' || name.startsWith('Arrow') || name.startsWith('Page')))) return;
    else if (!this.act(name, event)) return;
    event.preventDefault();
  }
  /** Does what a key says; false if it says nothing. */
  act(name, event) {
    const { app } = this, steps = event.shiftKey ? 10 : 1;
    const along = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 1], ArrowDown: [1, -1], PageUp: [2, 1], PageDown: [2, -1] }[name];
    if (along) return this.nudge(along[0], along[1] * steps);
    const look = (yaw, pitch) => { if (app.dim > 2) { app.lookAround(yaw, pitch); app.keep(); } };
    const acts = {
      ' ': () => app.play(), ',': () => app.setLayer(app.state.layer - 1), '.': () => app.setLayer(app.state.layer + 1),
      n: () => app.addToken(), d: () => app.duplicate(), m: () => app.mirror(event.shiftKey ? 1 : 0), x: () => this.tie(), s: () => app.surprise(),
      Delete: () => app.removeToken(), Backspace: () => app.removeToken(), f: () => app.toggleFloat(),
      t: () => look(event.shiftKey ? -0.1 : 0.1, 0), r: () => look(0, event.shiftKey ? -0.1 : 0.1),
      '+': () => app.zoom(1.25), '=': () => app.zoom(1.25), '-': () => app.zoom(0.8), 0: () => app.fit(),
      Escape: () => { app.select(null); document.activeElement?.blur(); },
    };
    acts[name]?.();
    return name in acts;
  }
  /** Moves the chosen token to a place where it ties between two others. */
  tie() {
    const { app } = this, i = app.selected;
    if (i === null) return announce('Choose a token first.');
    const lines = tieLines(app.state.tokens, app.matrix(), i);
    if (!lines.length) return announce(app.dim === 2 ? `Token ${i} ties nowhere: among the others are no two that it could follow at once.` : 'Ties are looked for in the plane only.');
    app.moveToken(i, nextTie(lines, app.state.tokens[i], app.state.grid));
    return app.commit();
  }
  nudge(axis, steps) {
    const { app } = this, i = app.selected;
    if (i === null || axis >= app.state.tokens[i].length) return false;
    const step = fraction(BigInt(steps), BigInt(app.state.grid));
    app.moveToken(i, app.state.tokens[i].map((text, c) => (c === axis ? write(plus(read(text), step)) : text)));
    app.commit();
    return true;
  }
}

module.exports = { Hands };

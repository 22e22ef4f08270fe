// From coordinates to the screen: one, two or three of them, moved, zoomed and, in space, turned.
'use strict';

/** The rectangle that holds all projected points, never empty. */
function bounds(points) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    [box[0], box[1]] = [Math.min(box[0], x), Math.min(box[1], y)];
    [box[2], box[3]] = [Math.max(box[2], x), Math.max(box[3], y)];
  }
  return points.length ? box : [-1, -1, 1, 1];
}

class Plane {
  /** turn: the two angles of a view of space. */
  constructor(width, height) {
    Object.assign(this, { width, height, scale: 100, centre: [0, 0], turn: [0.6, 0.35], dim: 2 });
  }
  /** The directions in coordinates of one step to the right and one step up on the screen. */
  axes() {
    if (this.dim < 3) return [[1, 0, 0], [0, 1, 0]];
    const [yaw, pitch] = this.turn, [c, s, a, b] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    return [[c, s, 0], [b * s, -b * c, a]];
  }
  flat(point) {
    const at = (axis) => axis.reduce((total, x, c) => total + x * (point[c] ?? 0), 0);
    return this.axes().map(at);
  }
  /** Pixels of a point. */
  screen(point) {
    const [x, y] = this.flat(point);
    return [this.width / 2 + (x - this.centre[0]) * this.scale, this.height / 2 - (y - this.centre[1]) * this.scale];
  }
  /** What a motion of so many pixels means in coordinates. */
  motion(dx, dy) {
    const [right, up] = this.axes();
    return [0, 1, 2].slice(0, Math.max(this.dim, 1)).map((c) => (right[c] * dx - up[c] * dy) / this.scale);
  }
  /** The point of the plane under a pixel (of the plane through the origin in space). */
  point(px, py) {
    const [right, up] = this.axes();
    const x = this.centre[0] + (px - this.width / 2) / this.scale, y = this.centre[1] - (py - this.height / 2) / this.scale;
    return [0, 1, 2].slice(0, Math.max(this.dim, 1)).map((c) => right[c] * x + up[c] * y);
  }
  /** Moves and zooms so that all points are seen, the origin too, to the left of so many pixels. */
  fit(points, right = 0) {
    const finite = [...points, [0, 0, 0]].map((point) => this.flat(point)).filter((p) => p.every(Number.isFinite));
    const [least, low, most, high] = bounds(finite), width = this.width - right;
    const size = Math.max((most - least) / width, (high - low) / this.height) || 2 / width;
    this.scale = 0.8 / size;
    this.centre = [(least + most) / 2 + right / 2 / this.scale, (low + high) / 2];
  }
  /** Whether any of the points is outside. */
  loses(points) {
    return points.some((point) => {
      const [x, y] = this.screen(point);
      return !(x >= 4 && y >= 4 && x <= this.width - 4 && y <= this.height - 4);
    });
  }
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const before = [(px - this.width / 2) / this.scale, -(py - this.height / 2) / this.scale];
    this.scale = Math.min(Math.max(this.scale * factor, 1e-9), 1e12);
    const after = [(px - this.width / 2) / this.scale, -(py - this.height / 2) / this.scale];
    this.centre = this.centre.map((x, c) => x + before[c] - after[c]);
  }
}

module.exports = { Plane };

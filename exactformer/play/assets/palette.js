// Colours and shapes that stay apart in grey and for the colour-blind (Okabe and Ito), as in the package's pictures.
'use strict';

const COLOURS = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#D55E00', '#56B4E9', '#F0E442'];
const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'down', 'plus', 'cross'];
const SLICES = 4; // the most colours a tie shows

const LIGHT = {
  paper: '#ffffff', ink: '#1d1d1f', soft: '#6b7079', grid: '#eef0f4', axis: '#d3d8e0', neutral: '#b4b8bf', edge: '#ffffff',
  hull: '#8a909a', hullFill: '#0000000a', polytope: '#00614a', polytopeFill: '#00614a14', wrong: '#c62828', float: '#c62828', lit: '#d9480f', accent: '#2f5bd0',
};
const DARK = {
  paper: '#14161b', ink: '#eef0f3', soft: '#9aa1ad', grid: '#20242c', axis: '#363c48', neutral: '#6d7480', edge: '#14161b',
  hull: '#7f8794', hullFill: '#ffffff0d', polytope: '#3ecf9f', polytopeFill: '#3ecf9f1f', wrong: '#ff6b6b', float: '#ff6b6b', lit: '#ffa94d', accent: '#8fb0ff',
};

const colour = (rank, theme) => (rank === undefined ? theme.neutral : COLOURS[rank % COLOURS.length]);
const shape = (rank) => (rank === undefined ? 'circle' : SHAPES[(rank + Math.floor(rank / COLOURS.length)) % SHAPES.length]);

const polygon = (count, radius, start, inner) => {
  const corners = inner ? 2 * count : count;
  return Array.from({ length: corners }, (_, k) => {
    const r = inner && k % 2 ? inner : radius, t = start + (2 * Math.PI * k) / corners;
    return `${(r * Math.cos(t)).toFixed(2)},${(r * Math.sin(t)).toFixed(2)}`;
  }).join(' ');
};
const UP = -Math.PI / 2;
const plus = '-2.6,-7.5 2.6,-7.5 2.6,-2.6 7.5,-2.6 7.5,2.6 2.6,2.6 2.6,7.5 -2.6,7.5 -2.6,2.6 -7.5,2.6 -7.5,-2.6 -2.6,-2.6';
//: the corners of every shape around the origin
const CORNERS = {
  star: polygon(5, 12, UP, 5.2), square: polygon(4, 9, UP / 2), triangle: polygon(3, 9.5, UP), down: polygon(3, 9.5, -UP),
  diamond: polygon(4, 9, UP), plus, cross: plus,
};

module.exports = { LIGHT, DARK, COLOURS, SLICES, CORNERS, colour, shape };

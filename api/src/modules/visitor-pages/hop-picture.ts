/** Cells of a mobile network, and a connection through one of them. */
import { escapeHtml } from '../../mail/layout.ts';

const CELL_RADIUS = 46;
const GAP = 4;
/** Height of an arc relative to its length. */
const BEND = 0.42;
const STEP_X = CELL_RADIUS * Math.sqrt(3) + GAP;
const STEP_Y = CELL_RADIUS * 1.5 + GAP;

interface Point {
  x: number;
  y: number;
}

const rowLengths = [3, 4, 5, 4, 3];
const cells = rowLengths.flatMap((length, row) =>
  Array.from({ length }, (_, column) => centre(row, column - (length - 1) / 2)),
);
const you = centre(4, -1);
const tower = centre(1, -0.5);
const web = centre(2, 2);
const paths = [hop(you, tower), hop(tower, web)];

export interface HopLabels {
  picture: string;
  you: string;
  cell: string;
  web: string;
}

export function hopPicture(labels: HopLabels): string {
  return `<svg class="hops" viewBox="-230 -60 460 420" role="img" aria-label="${escapeHtml(labels.picture)}">
${cells.map((cell) => `<path class="${cell.x === tower.x && cell.y === tower.y ? 'tower' : 'place'}" d="${hexagon(cell)}"/>`).join('')}
${paths.map((path) => `<path class="track" d="${path}"/><path class="signal" d="${path}" pathLength="100"/>`).join('')}
${node(you, labels.you)}${node(web, labels.web)}${node(tower, labels.cell, -54)}</svg>`;
}

/** @param labelY of the tower above its cell, because its arcs go down */
function node({ x, y }: Point, label: string, labelY = 32): string {
  return `<circle class="halo" cx="${round(x)}" cy="${round(y)}" r="12"/><circle class="dot" cx="${round(x)}" cy="${round(y)}" r="5.5"/><text x="${round(x)}" y="${round(y + labelY)}" text-anchor="middle">${escapeHtml(label)}</text>`;
}

function centre(row: number, column: number): Point {
  return { x: column * STEP_X, y: row * STEP_Y };
}

function hexagon({ x, y }: Point): string {
  const corners = Array.from({ length: 6 }, (_, index) => {
    const angle = (Math.PI / 3) * index - Math.PI / 2;
    return `${round(x + CELL_RADIUS * Math.cos(angle))} ${round(y + CELL_RADIUS * Math.sin(angle))}`;
  });
  return `M${corners.join('L')}Z`;
}

/** An arc that bends to the left of its direction. */
function hop(start: Point, end: Point): string {
  const bendX = (start.x + end.x) / 2 + (end.y - start.y) * BEND;
  const bendY = (start.y + end.y) / 2 - (end.x - start.x) * BEND;
  return `M${round(start.x)} ${round(start.y)}Q${round(bendX)} ${round(bendY)} ${round(end.x)} ${round(end.y)}`;
}

function round(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

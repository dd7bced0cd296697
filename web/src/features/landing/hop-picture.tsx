import { useTranslation } from 'react-i18next';
import classes from './hop-picture.module.css';

const CELL_RADIUS = 46;
const GAP = 4;
/** Height of an arc relative to its length. */
const BEND = 0.42;
const STEP_X = CELL_RADIUS * Math.sqrt(3) + GAP;
const STEP_Y = CELL_RADIUS * 1.5 + GAP;

interface Cell {
  row: number;
  column: number;
}

const rowLengths = [3, 4, 5, 4, 3];
const cells: Cell[] = rowLengths.flatMap((length, row) =>
  Array.from({ length }, (_, column) => ({ row, column: column - (length - 1) / 2 })),
);

const you: Cell = { row: 4, column: -1 };
const tower: Cell = { row: 1, column: -0.5 };
const web: Cell = { row: 2, column: 2 };

/** Cells of a mobile network, and a connection through one of them. */
export function HopPicture() {
  const { t } = useTranslation('landing');
  return (
    <figure className={classes['figure']} aria-label={t('hero.label')}>
      <svg className={classes['picture']} viewBox="-230 -60 460 420" aria-hidden="true">
        {cells.map((cell) => (
          <path
            key={`${cell.row}:${cell.column}`}
            className={classes[isSame(cell, tower) ? 'tower' : 'cell']}
            style={{ animationDelay: `${(cell.row * 0.7 + cell.column) * 0.45}s` }}
            d={hexagon(cell)}
          />
        ))}
        <path className={classes['track']} d={hop(you, tower)} />
        <path className={classes['track']} d={hop(tower, web)} />
        <path className={classes['signal']} d={hop(you, tower)} pathLength={100} />
        <path className={classes['signal']} style={{ animationDelay: '0.9s' }} d={hop(tower, web)} pathLength={100} />
        <Node cell={you} label={t('hero.you')} />
        <Node cell={tower} label={t('hero.cell')} isTower />
        <Node cell={web} label={t('hero.web')} />
      </svg>
    </figure>
  );
}

function Node({ cell, label, isTower = false }: { cell: Cell; label: string; isTower?: boolean }) {
  const { x, y } = centre(cell);
  return (
    <>
      <circle className={classes[isTower ? 'ring' : 'halo']} cx={x} cy={y} r={isTower ? 13 : 11} />
      <circle className={classes['dot']} cx={x} cy={y} r={5.5} />
      {/* Above the tower's cell, because its arcs go down. */}
      <text className={classes['label']} x={x} y={isTower ? y - 54 : y + 32} textAnchor="middle">
        {label}
      </text>
    </>
  );
}

function centre({ row, column }: Cell): { x: number; y: number } {
  return { x: column * STEP_X, y: row * STEP_Y };
}

function isSame(one: Cell, other: Cell): boolean {
  return one.row === other.row && one.column === other.column;
}

function hexagon(cell: Cell): string {
  const { x, y } = centre(cell);
  const corners = Array.from({ length: 6 }, (_, index) => {
    const angle = (Math.PI / 3) * index - Math.PI / 2;
    return `${(x + CELL_RADIUS * Math.cos(angle)).toFixed(1)} ${(y + CELL_RADIUS * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${corners.join('L')}Z`;
}

/** An arc that bends to the left of its direction. */
function hop(from: Cell, to: Cell): string {
  const start = centre(from);
  const end = centre(to);
  const bendX = (start.x + end.x) / 2 + (end.y - start.y) * BEND;
  const bendY = (start.y + end.y) / 2 - (end.x - start.x) * BEND;
  return `M${start.x} ${start.y}Q${bendX.toFixed(1)} ${bendY.toFixed(1)} ${end.x} ${end.y}`;
}

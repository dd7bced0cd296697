import { type PointerEvent, useState } from 'react';
import { isMovement } from '../hooks/use-hover.ts';
import { isLabelled, type Scale, toPercent, toScale } from '../format/scale.ts';
import { Plot } from './plot.tsx';
import classes from './bar-chart.module.css';

const LABELS_MAX = 6;
/** The gap between bars, in percent of the space of each bar. */
const GAP = 24;
/** With more bars, a gap would be less than a pixel. */
const GAPPED_MAX = 120;
/** In percent of the whole chart, so that the bar of a single day does not fill it. */
const BAR_WIDTH_MAX = 12;

interface Bar {
  key: string;
  /** Under the axis. */
  label: string;
  /** The description of the bar: time and value. */
  text: string;
  /** Values from the bottom up, all of the same sign. */
  parts: readonly number[];
}

interface BarChartProps {
  label: string;
  bars: readonly Bar[];
  /** Names of the parts; one part needs none. */
  legend?: readonly string[];
  /** Shown instead of bars if there is no data. */
  emptyText: string;
  formatTick: (value: number) => string;
  /** See `toScale`. */
  stepMin?: number | undefined;
  /** Opens the rows of a bar, by mouse or Enter. On touch screens a tap shows the numbers. */
  onOpen?: (index: number) => void;
}

/** Bars over time. Pointer and arrow keys choose one, and its numbers are shown and spoken. */
export function BarChart({ label, bars, legend, emptyText, formatTick, stepMin, onOpen }: BarChartProps) {
  const [chosenKey, setChosenKey] = useState<string>();
  const sums = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0));
  const scale = toScale(sums, stepMin);
  const room = 100 / bars.length;
  const last = bars.length - 1;
  const chosen = chosenKey === undefined ? undefined : barIndex(chosenKey, bars);
  const shown = chosen === undefined ? undefined : bars[chosen];
  const choose = (index: number) => setChosenKey(bars[index]?.key);

  function leave({ pointerType }: PointerEvent) {
    // A finger is lifted to read what it has touched.
    if (pointerType !== 'touch') setChosenKey(undefined);
  }

  const labels = bars.map(({ key, label: text }, index) =>
    isLabelled(index, bars.length, LABELS_MAX) ? (
      <span key={key} className={classes['label']} style={{ left: `${(index + 0.5) * room}%` }}>
        {text}
      </span>
    ) : null,
  );

  return (
    <div className={classes['chart']}>
      <ul className={classes['legend']}>
        {legend?.map((name, index) => (
          <li key={name} data-part={index}>
            {name}
          </li>
        ))}
      </ul>
      <Plot scale={scale} formatTick={formatTick} labels={labels}>
        <div className={classes['bars']} onPointerLeave={leave}>
          <input
            className={classes['slider']}
            type="range"
            min={0}
            max={last}
            value={chosen ?? last}
            aria-label={label}
            aria-valuetext={(shown ?? bars[last])?.text}
            onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
            onFocus={() => choose(chosen ?? last)}
            onBlur={() => setChosenKey(undefined)}
            onKeyDown={({ key }) => key === 'Enter' && onOpen?.(chosen ?? last)}
          />
          <BarsPicture bars={bars} scale={scale} chosen={chosen} onChoose={choose} onOpen={onOpen} />
          {shown !== undefined && chosen !== undefined ? (
            <div
              className={classes['tip']}
              aria-hidden="true"
              data-side={chosen > last / 2 ? 'left' : 'right'}
              style={{ left: `${(chosen + 0.5) * room}%` }}
            >
              {shown.text}
            </div>
          ) : sums.every((sum) => sum === 0) ? (
            <p className={classes['empty']}>{emptyText}</p>
          ) : null}
        </div>
      </Plot>
    </div>
  );
}

interface BarsPictureProps {
  bars: readonly Bar[];
  scale: Scale;
  /** Index of a bar. */
  chosen: number | undefined;
  onChoose: (index: number) => void;
  onOpen: ((index: number) => void) | undefined;
}

function BarsPicture({ bars, scale, chosen, onChoose, onOpen }: BarsPictureProps) {
  const room = 100 / bars.length;
  const isGapped = bars.length <= GAPPED_MAX;
  const width = Math.min((room * (100 - (isGapped ? GAP : 0))) / 100, BAR_WIDTH_MAX);
  return (
    <svg
      className={classes['picture']}
      data-links={onOpen !== undefined}
      shapeRendering={isGapped ? 'auto' : 'crispEdges'}
      aria-hidden="true"
    >
      {bars.map(({ key, parts }, index) => (
        <g key={key} data-chosen={index === chosen}>
          <rect
            className={classes['room']}
            x={`${index * room}%`}
            width={`${room}%`}
            height="100%"
            onPointerMove={(event) => isMovement(event) && onChoose(index)}
            onPointerDown={() => onChoose(index)}
            onPointerUp={({ pointerType, button }) => pointerType !== 'touch' && button === 0 && onOpen?.(index)}
          />
          <StackedBar parts={parts} scale={scale} left={(index + 0.5) * room - width / 2} width={width} />
        </g>
      ))}
    </svg>
  );
}

interface StackedBarProps {
  parts: readonly number[];
  scale: Scale;
  /** In percent of the whole chart. */
  left: number;
  width: number;
}

function StackedBar({ parts, scale, left, width }: StackedBarProps) {
  return parts.map((part, index) => {
    const start = parts.slice(0, index).reduce((sum, below) => sum + below, 0);
    const [top, bottom] = [Math.max(start, start + part), Math.min(start, start + part)];
    return (
      <rect
        // Parts have no other identity than their index.
        // oxlint-disable-next-line react/no-array-index-key
        key={index}
        className={classes['bar']}
        data-part={index}
        x={`${left}%`}
        width={`${width}%`}
        y={`${toPercent(top, scale)}%`}
        height={`${toPercent(bottom, scale) - toPercent(top, scale)}%`}
      />
    );
  });
}

/** The last bar where there are others now than when it was chosen. */
function barIndex(key: string, bars: readonly Bar[]): number {
  const place = bars.findIndex((bar) => bar.key === key);
  return place < 0 ? bars.length - 1 : place;
}

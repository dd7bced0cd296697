import { useState } from 'react';
import classes from './bar-chart.module.css';
import { isLabelled, toPercent, toScale } from './scale.ts';

const LABELS_MAX = 6;
/** Of the room of each bar, in percent. */
const GAP = 24;

interface Bar {
  key: string;
  /** Under the axis. */
  label: string;
  /** What is said of the bar: when, and how much. */
  text: string;
  /** From the bottom up, of one sign. */
  parts: readonly number[];
}

interface BarChartProps {
  label: string;
  bars: readonly Bar[];
  /** Names of the parts; one part needs none. */
  legend?: readonly string[];
  formatTick: (value: number) => string;
}

/** Bars over time. Pointer and arrow keys choose one, and its numbers are shown and spoken. */
export function BarChart({ label, bars, legend, formatTick }: BarChartProps) {
  const [chosen, setChosen] = useState<number>();
  const sums = bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0));
  const scale = toScale(sums);
  const room = 100 / bars.length;
  const last = bars.length - 1;
  const shown = chosen === undefined ? undefined : bars[Math.min(chosen, last)];

  return (
    <div className={classes['chart']}>
      <ul className={classes['legend']}>
        {legend?.map((name, index) => (
          <li key={name} data-part={index}>
            {name}
          </li>
        ))}
      </ul>
      <div className={classes['axes']}>
        <div className={classes['ticks']} aria-hidden="true">
          {scale.ticks.map((tick) => (
            <span key={tick} style={{ top: `${toPercent(tick, scale)}%` }}>
              {formatTick(tick)}
            </span>
          ))}
        </div>
        <div className={classes['plot']} onPointerLeave={() => setChosen(undefined)}>
          <input
            className={classes['slider']}
            type="range"
            min={0}
            max={last}
            value={Math.min(chosen ?? last, last)}
            aria-label={label}
            aria-valuetext={(shown ?? bars[last])?.text}
            onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
            onFocus={() => setChosen((current) => current ?? last)}
            onBlur={() => setChosen(undefined)}
          />
          <svg className={classes['picture']} aria-hidden="true">
            {scale.ticks.map((tick) => (
              <line
                key={tick}
                className={classes[tick === 0 ? 'zero' : 'grid']}
                x1="0"
                x2="100%"
                y1={`${toPercent(tick, scale)}%`}
                y2={`${toPercent(tick, scale)}%`}
              />
            ))}
            {bars.map(({ key, parts }, index) => (
              <g key={key} data-chosen={index === chosen}>
                <rect
                  className={classes['room']}
                  x={`${index * room}%`}
                  width={`${room}%`}
                  height="100%"
                  onPointerEnter={() => setChosen(index)}
                />
                {parts.map((part, place) => {
                  const start = parts.slice(0, place).reduce((sum, below) => sum + below, 0);
                  const [top, bottom] = [Math.max(start, start + part), Math.min(start, start + part)];
                  return (
                    <rect
                      // The parts of a bar have no other name than their place.
                      // oxlint-disable-next-line react/no-array-index-key
                      key={place}
                      className={classes['bar']}
                      data-part={place}
                      x={`${index * room + (room * GAP) / 200}%`}
                      width={`${(room * (100 - GAP)) / 100}%`}
                      y={`${toPercent(top, scale)}%`}
                      height={`${toPercent(bottom, scale) - toPercent(top, scale)}%`}
                    />
                  );
                })}
              </g>
            ))}
          </svg>
          {shown !== undefined && chosen !== undefined && (
            <div
              className={classes['tip']}
              aria-hidden="true"
              data-side={chosen > last / 2 ? 'left' : 'right'}
              style={{ left: `${(Math.min(chosen, last) + 0.5) * room}%` }}
            >
              {shown.text}
            </div>
          )}
        </div>
        <div className={classes['labels']} aria-hidden="true">
          {bars.map(({ key, label: text }, index) =>
            isLabelled(index, bars.length, LABELS_MAX) ? (
              <span key={key} style={{ left: `${(index + 0.5) * room}%` }} data-last={index === last}>
                {text}
              </span>
            ) : null,
          )}
        </div>
      </div>
    </div>
  );
}

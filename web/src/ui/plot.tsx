import type { ReactNode } from 'react';
import { type Scale, toPercent } from '../format/scale.ts';
import classes from './plot.module.css';

interface PlotProps {
  scale: Scale;
  formatTick: (value: number) => string;
  /** Below the axis; absolutely positioned. */
  labels: ReactNode;
  /** The chart itself, which fills the plot. */
  children: ReactNode;
}

/** The axes of a chart, hidden from screen readers: the chart itself has the numbers. */
export function Plot({ scale, formatTick, labels, children }: PlotProps) {
  const texts = scale.ticks.map(formatTick);
  const widest = texts.toSorted((one, other) => other.length - one.length)[0];
  return (
    <div className={classes['axes']}>
      <div className={classes['ticks']} aria-hidden="true">
        <div className={classes['widest']}>{widest}</div>
        {scale.ticks.map((tick, index) => (
          <span key={tick} style={{ top: `${toPercent(tick, scale)}%` }}>
            {texts[index]}
          </span>
        ))}
      </div>
      <div className={classes['plot']}>
        <svg className={classes['lines']} aria-hidden="true">
          {scale.ticks.map((tick) => (
            <line
              key={tick}
              data-zero={tick === 0}
              x1="0"
              x2="100%"
              y1={`${toPercent(tick, scale)}%`}
              y2={`${toPercent(tick, scale)}%`}
            />
          ))}
        </svg>
        {children}
      </div>
      <div className={classes['labels']} aria-hidden="true">
        {labels}
      </div>
    </div>
  );
}

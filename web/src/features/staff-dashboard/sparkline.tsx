import classes from './sparkline.module.css';

const WIDTH = 100;
const HEIGHT = 32;

/** A line chart without axes; the large chart shows the values. */
export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2 || values.every((value) => value === 0)) return null;
  const points = linePoints(values).join(' ');
  return (
    <svg
      className={classes['line']}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <polygon points={`0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}`} />
      <polyline points={points} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

/** From the left to the right, within a pixel of the edges; zero is the lowest value unless one is negative. */
export function linePoints(values: readonly number[]): string[] {
  const low = Math.min(0, ...values);
  const range = Math.max(0, ...values) - low || 1;
  return values.map((value, index) => {
    const x = (index / (values.length - 1)) * WIDTH;
    const y = HEIGHT - 1 - ((value - low) / range) * (HEIGHT - 2);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
}

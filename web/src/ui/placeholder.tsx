import classes from './placeholder.module.css';

interface PlaceholderProps {
  height: number | string;
  /** The whole width unless given. */
  width?: number | string;
}

/** Stands where something is loading. A plain element: the first screen has dozens of them. */
export function Placeholder({ height, width }: PlaceholderProps) {
  return <div className={classes['placeholder']} data-placeholder style={{ height, width }} />;
}

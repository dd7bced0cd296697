import classes from './placeholder.module.css';

interface PlaceholderProps {
  height: number;
}

/** Stands where something is loading. A plain element: the first screen has dozens of them. */
export function Placeholder({ height }: PlaceholderProps) {
  return <div className={classes['placeholder']} style={{ height }} />;
}

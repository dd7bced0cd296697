import classes from './placeholder.module.css';

interface PlaceholderProps {
  height: number | string;
  /** Default: the full width. */
  width?: number | string;
}

/** A loading placeholder. A plain element: the first screen has dozens of them. */
export function Placeholder({ height, width }: PlaceholderProps) {
  return <div className={classes['placeholder']} data-placeholder style={{ height, width }} />;
}

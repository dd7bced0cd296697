import type { ReactNode } from 'react';
import classes from './list-head.module.css';

interface ListHeadProps {
  /** At the right end: the button that creates a row is the last one. */
  actions: ReactNode;
  /** Text, views or switches of the list. */
  children?: ReactNode;
}

/** The first line of a list without filters; with filters it is a `FilterPanel`. */
export function ListHead({ actions, children }: ListHeadProps) {
  return (
    <div className={classes['head']}>
      <div className={classes['content']}>{children}</div>
      <div className={classes['actions']}>{actions}</div>
    </div>
  );
}

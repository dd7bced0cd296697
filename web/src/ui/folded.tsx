import type { ReactNode } from 'react';
import classes from './folded.module.css';

/** A part that is read rarely: only its title is shown until it is opened. */
export function Folded({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className={classes['folded']}>
      <summary>{title}</summary>
      <div className={classes['content']}>{children}</div>
    </details>
  );
}

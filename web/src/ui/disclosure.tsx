import type { ReactNode } from 'react';
import classes from './disclosure.module.css';

/** A part that is read rarely: only its title is shown until it is opened. */
export function Disclosure({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className={classes['disclosure']}>
      <summary>{title}</summary>
      <div className={classes['content']}>{children}</div>
    </details>
  );
}

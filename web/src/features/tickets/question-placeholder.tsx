import { Skeleton } from '@mantine/core';
import classes from './ticket-page.module.css';

/** The placeholder of a ticket's first text, until it is loaded. */
export function QuestionPlaceholder() {
  return (
    <div className={classes['question']} aria-busy="true">
      <div className={classes['head']}>
        <Skeleton height={16} width={180} />
      </div>
      <Skeleton height={22} width="min(420px, 80%)" className={classes['wide'] ?? ''} />
      <Skeleton height={16} width="92%" className={classes['wide'] ?? ''} />
      <Skeleton height={16} width="60%" className={classes['wide'] ?? ''} />
    </div>
  );
}

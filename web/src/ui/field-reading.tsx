import type { ReactNode } from 'react';
import classes from './field-reading.module.css';

/** A field, and below it what the app has read from the typed text. For the property `inputContainer` of fields. */
export function withReading(field: ReactNode, shown: string | undefined): ReactNode {
  return (
    <>
      {field}
      {shown !== undefined && <output className={classes['reading']}>{shown}</output>}
    </>
  );
}

import { type ComponentProps, type ReactNode, useId } from 'react';
import classes from './plain-field.module.css';

export interface PlainFieldProps extends ComponentProps<'input'> {
  label: string;
  hint?: string;
  error?: string | undefined;
  /** A button inside the field, at its right end. */
  end?: ReactNode;
}

/** An input with label, hint and error. Accepts the properties of react-hook-form's `register`. */
export function PlainField({ label, hint, error, end, ...input }: PlainFieldProps) {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].join(' ').trim();
  return (
    <div className={classes['field']}>
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className={classes['hint']}>
          {hint}
        </p>
      )}
      <div className={classes['box']}>
        <input
          {...input}
          id={id}
          aria-invalid={error !== undefined}
          aria-describedby={described === '' ? undefined : described}
        />
        {end}
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} className={classes['error']}>
          {error}
        </p>
      )}
    </div>
  );
}

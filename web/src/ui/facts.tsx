import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface Fact {
  label: string;
  value: ReactNode;
  /** Takes the full width, for long values. */
  isWide?: boolean;
}

/** Names and values side by side. */
export function Facts({ items }: { items: readonly Fact[] }) {
  return (
    <dl className={classes['facts']}>
      {items.map(({ label, value, isWide = false }) => (
        <div key={label} data-wide={isWide}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

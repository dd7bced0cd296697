import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './figures.module.css';
import type { Target } from './links.ts';
import { NumberLink } from './number-link.tsx';

export interface Figure {
  key: string;
  label: string;
  value: string;
  target: Target;
  /** Draws attention. */
  isAlarming?: boolean;
  note?: string;
}

interface FiguresProps {
  /** Undefined while they are loaded. */
  figures: readonly Figure[] | undefined;
}

/** Numbers, each a link to its rows. */
export function Figures({ figures }: FiguresProps) {
  if (figures === undefined)
    return (
      <dl className={classes['figures']}>
        {['revenue', 'traffic', 'users', 'tickets'].map((key) => (
          <Box key={key} label={<Skeleton height={14} width={80} my={4} />}>
            <Skeleton height={30} width={96} />
          </Box>
        ))}
      </dl>
    );
  return (
    <dl className={classes['figures']}>
      {figures.map(({ key, label, value, target, isAlarming = false, note }) => (
        <Box key={key} label={label}>
          <span data-bad={isAlarming}>
            <NumberLink target={target}>{value}</NumberLink>
          </span>
          {note !== undefined && <small>{note}</small>}
        </Box>
      ))}
    </dl>
  );
}

function Box({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Columns and cells that several tables have. */
import { Button, type ButtonProps } from '@mantine/core';
import { formatDate } from '../format/format.ts';
import { countDecimals, formatTotal } from '../format/money.ts';
import classes from './columns.module.css';
import { CountryFlag } from './country-flag.tsx';
import type { Column } from './data-table.tsx';
import { destructive } from './destructive.ts';
import { Money, type MoneyProps } from './money.tsx';

interface ColumnMoneyProps extends MoneyProps {
  /** The largest number of decimals in the column, see `maxDecimals`. */
  decimals: number;
  /** Positive amounts get a plus sign, so that color is not the only difference. */
  isChange?: boolean;
}

/** An amount in a right-aligned column: the decimal points are aligned. */
export function ColumnMoney({ dollars, format = formatTotal, decimals, isChange = false }: ColumnMoneyProps) {
  const missing = Math.max(0, decimals - countDecimals(format(dollars)));
  return (
    <span className={classes['money']} data-missing={'0'.repeat(missing)}>
      {isChange && dollars > 0 ? '+' : ''}
      <Money dollars={dollars} format={format} />
    </span>
  );
}

export function countryColumn<Row extends { countryCode: string }>(header: string): Column<Row> {
  return {
    key: 'country',
    header,
    render: ({ countryCode }) => <CountryFlag code={countryCode} />,
    renderInCard: ({ countryCode }) => <CountryFlag code={countryCode} hasName />,
  };
}

/** A time of the rows. @param missing shown without one */
export function timeColumn<Key extends string, Row extends { [K in Key]: string | null }>(
  key: Key,
  header: string,
  missing = '',
): Column<Row> {
  return { key, header, render: (row) => (row[key] === null ? missing : <Time at={row[key]} />) };
}

export function Time({ at }: { at: string }) {
  return <time dateTime={at}>{formatDate(at)}</time>;
}

interface RowButtonProps extends Pick<ButtonProps, 'variant'> {
  text: string;
  /** For screen readers: the text with the name of the row. */
  label: string;
  isDestructive?: boolean;
  onClick: () => void;
}

/** A button in the column of actions. */
export function RowButton({ text, label, variant = 'light', isDestructive = false, onClick }: RowButtonProps) {
  return (
    <Button
      size="compact-sm"
      variant={variant}
      {...(isDestructive && destructive.opens)}
      aria-label={label}
      onClick={onClick}
    >
      {text}
    </Button>
  );
}

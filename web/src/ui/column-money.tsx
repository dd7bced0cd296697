import { countDecimals, formatMoney } from '../format/format.ts';
import classes from './column-money.module.css';

interface ColumnMoneyProps {
  dollars: number;
  /** The largest number of decimals in the column, see `maxDecimals`. */
  decimals: number;
  /** Positive amounts get a plus sign, so that color is not the only difference. */
  isChange?: boolean;
}

/** An amount in a right-aligned column: the decimal points are aligned. */
export function ColumnMoney({ dollars, decimals, isChange = false }: ColumnMoneyProps) {
  const text = formatMoney(dollars);
  return (
    <span className={classes['money']} data-missing={'0'.repeat(Math.max(0, decimals - countDecimals(text)))}>
      {isChange && dollars > 0 ? '+' : ''}
      {text}
    </span>
  );
}

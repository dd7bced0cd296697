import { countDecimals, formatMoney } from '../lib/format.ts';
import classes from './column-money.module.css';

interface ColumnMoneyProps {
  dollars: number;
  /** Of the amount in the column that has most of them, see `maxDecimals`. */
  decimals: number;
  /** With a plus where money came, so that colour is not the only difference. */
  isChange?: boolean;
}

/** An amount in a column that is aligned on the right: the decimal points stand below each other. */
export function ColumnMoney({ dollars, decimals, isChange = false }: ColumnMoneyProps) {
  const text = formatMoney(dollars);
  return (
    <span className={classes['money']} data-missing={'0'.repeat(Math.max(0, decimals - countDecimals(text)))}>
      {isChange && dollars > 0 ? '+' : ''}
      {text}
    </span>
  );
}

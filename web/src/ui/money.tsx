import { formatMoney } from '../format/format.ts';
import { formatTotal } from '../format/money.ts';

export interface MoneyProps {
  dollars: number;
  /** How it is rounded. */
  format?: ((dollars: number) => string) | undefined;
}

/**
 * An amount as people read it. The exact one is its tooltip, here alone: elements with an accessible name show and say the same number
 * (`e2e/screen-checks.ts`).
 */
export function Money({ dollars, format = formatTotal }: MoneyProps) {
  const text = format(dollars);
  const exact = formatMoney(dollars);
  return text === exact ? text : <span title={exact}>{text}</span>;
}

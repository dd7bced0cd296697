/**
 * The kinds of numbers in fields: how each is typed, and how the field repeats it. There is no other reading of a typed number
 * (`ui/number-field.tsx`); days have `day.ts`.
 */
import i18next from 'i18next';
import { parseDecimal, type Unit } from './amount.ts';
import { formatCount, formatDecimal, formatMoney } from './format.ts';

interface NumberKind {
  unit: Unit;
  /** The largest number of decimals. */
  decimals: number;
  isSigned: boolean;
  /** The key of the text that says how it is typed. */
  fault: 'amount' | 'percent' | 'count';
  /** @param decimal such as "-1234.5" */
  write: (decimal: string) => string;
}

const dollars = {
  unit: '$',
  decimals: 2,
  isSigned: false,
  fault: 'amount',
  write: (decimal) => formatMoney(Number(decimal)),
} as const satisfies NumberKind;

export const numberKinds = {
  /** Dollars and cents. */
  money: dollars,
  /** Dollars to the smallest unit of the ledger: what only staff enter. */
  exactMoney: { ...dollars, decimals: 6 },
  /** As `exactMoney`, with a sign: corrections. */
  moneyChange: { ...dollars, decimals: 6, isSigned: true },
  /** Dollars for 100 MB. */
  price: { ...dollars, decimals: 4 },
  /** A currency of invoices; as many decimals as the smallest unit of any of them has. */
  coins: { ...dollars, unit: '', decimals: 18, write: formatDecimal },
  percentChange: {
    unit: '%',
    decimals: 2,
    isSigned: true,
    fault: 'percent',
    write: (decimal) => `${formatDecimal(decimal)}%`,
  },
  count: {
    unit: '',
    decimals: 0,
    isSigned: false,
    fault: 'count',
    write: (decimal) => formatCount(Number(decimal)),
  },
} as const satisfies Record<string, NumberKind>;
export type NumberKindName = keyof typeof numberKinds;

export interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
  /** Zero changes nothing. */
  isNonZero?: boolean | undefined;
}

/** Of an empty text: nothing. */
export interface NumberReading {
  value?: number;
  /** The value with all of its decimals: "1234.50". */
  decimal?: string;
  /** The value as the app writes it: what the field repeats. */
  shown?: string;
  /** Why the text is refused, in the user's language. Then it has no value. */
  fault?: string;
  /** More digits may mend it. */
  isTooSmall?: true;
}

/** Reads what the user has typed, in the notation of their language. */
export function readNumber(name: NumberKindName, text: string, { min, max, isNonZero }: Bounds = {}): NumberReading {
  const kind: NumberKind = numberKinds[name];
  // A sign alone is the beginning of a number.
  if (text.trim() === '' || (kind.isSigned && /^\s*[+−-]\s*$/u.test(text))) return {};
  const decimal = parseDecimal(text, kind);
  if (decimal === undefined) return { fault: findFault(kind, text) };
  const value = Number(decimal);
  if (isNonZero === true && value === 0) return { fault: i18next.t('common:form.zero') };
  if (min !== undefined && value < min)
    return {
      fault: i18next.t('common:form.minimum', { value: kind.write(String(min)) }),
      ...(value >= 0 && { isTooSmall: true as const }),
    };
  if (max !== undefined && value > max)
    return { fault: i18next.t('common:form.maximum', { value: kind.write(String(max)) }) };
  return { value, decimal, shown: kind.write(decimal) };
}

const DECIMALS_READ_MAX = 30;

function findFault({ decimals, ...kind }: NumberKind, text: string): string {
  const isTooPrecise = decimals > 0 && parseDecimal(text, { ...kind, decimals: DECIMALS_READ_MAX }) !== undefined;
  return isTooPrecise ? i18next.t('common:form.decimals', { count: decimals }) : i18next.t(`common:form.${kind.fault}`);
}

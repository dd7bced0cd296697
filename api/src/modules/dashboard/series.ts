/** Sums of the database as the series of the contract: one number for each step, zero where nothing happened. */
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import type { Dashboard } from '@cellhop/contract/staff/dashboard';
import { toDollars, toKibibytes } from '@cellhop/contract/units';
import type { Figure, SumRow } from './dashboard.store.ts';

interface Series {
  total: number;
  values: number[];
}

const present: Record<Figure, (amount: bigint) => number> = {
  REVENUE: toDollars,
  TOP_UP: toDollars,
  DOWNLOADED: toKibibytes,
  UPLOADED: toKibibytes,
  SIGN_UP: Number,
};

export function toSeries(stepCount: number, sums: readonly SumRow[], figure: Figure): Series {
  const amounts = Array.from({ length: stepCount }, () => 0n);
  let total = 0n;
  for (const { step, amount } of sums.filter((row) => row.figure === figure)) {
    amounts[step] = (amounts[step] ?? 0n) + amount;
    total += amount;
  }
  return { total: present[figure](total), values: amounts.map(present[figure]) };
}

export function toTraffic(stepCount: number, sums: readonly SumRow[]): NonNullable<Dashboard['traffic']> {
  return { downloaded: toSeries(stepCount, sums, 'DOWNLOADED'), uploaded: toSeries(stepCount, sums, 'UPLOADED') };
}

export function toTopUps(stepCount: number, sums: readonly SumRow[]): NonNullable<Dashboard['topUps']> {
  const byCurrency = new Map<Currency | null, { amount: bigint; count: bigint }>();
  for (const { figure, currency: code, amount, count } of sums) {
    if (figure !== 'TOP_UP') continue;
    const currency = currencies.find((each) => each === code) ?? null;
    const known = byCurrency.get(currency) ?? { amount: 0n, count: 0n };
    byCurrency.set(currency, { amount: known.amount + amount, count: known.count + count });
  }
  const largestFirst = [...byCurrency].sort(([, one], [, other]) => Number(other.amount - one.amount));
  return {
    ...toSeries(stepCount, sums, 'TOP_UP'),
    byCurrency: largestFirst.map(([currency, { amount, count }]) => ({
      currency,
      amount: toDollars(amount),
      count: Number(count),
    })),
  };
}

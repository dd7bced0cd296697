import { CAP_MEGABYTES_MAX, PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { megabytePrice } from '../format/format.ts';
import { formatMegabytePrice, formatPrice } from '../format/money.ts';
import { readNumber } from '../format/number-kinds.ts';
import { NumberField } from './number-field.tsx';

const bounds = { min: 1, max: CAP_MEGABYTES_MAX };

interface TrafficCapFieldProps {
  text: string;
  /** Why the server has refused the cap. */
  refusal?: string | undefined;
  onChange: (text: string) => void;
}

/** Megabytes after which a connection ends; empty for none. */
export function TrafficCapField({ text, refusal, onChange }: TrafficCapFieldProps) {
  const { t } = useTranslation('proxyConnection');
  return (
    <NumberField
      kind="count"
      {...bounds}
      label={t('trafficCap.label')}
      description={t('trafficCap.hint')}
      placeholder={t('trafficCap.none')}
      value={text}
      error={refusal}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** @returns megabytes; null for an empty text, which is no cap; undefined if it is not a cap */
export function parseCap(text: string): number | null | undefined {
  return text.trim() === '' ? null : readNumber('count', text, bounds).value;
}

interface CappedTraffic {
  /** US dollars for 100 MB. */
  price: number;
  /** Megabytes; null: no cap. */
  cap: number | null;
  /** US dollars that the user has now. */
  balance: number;
  /** The cost of the connection until now. */
  paidFor?: number;
}

/** With a cap the maximum: its price, but at least that of the prepaid megabytes, and at most the available money. Else what a megabyte costs. */
export function chargeWords(
  { price, cap, balance, paidFor = 0 }: CappedTraffic,
  t: TFunction<'proxyConnection'>,
): string {
  if (cap === null) return t('trafficCap.open', { price: formatMegabytePrice(megabytePrice(price)) });
  const amount = Math.min(Math.max(cap, PREPAID_MEGABYTES) * megabytePrice(price), balance + paidFor);
  return t('trafficCap.maximum', { amount: formatPrice(amount) });
}

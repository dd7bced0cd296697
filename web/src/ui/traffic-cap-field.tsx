import { CAP_MEGABYTES_MAX, PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { megabytePrice } from '../format/format.ts';

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
    <TextInput
      label={t('trafficCap.label')}
      description={t('trafficCap.hint')}
      placeholder={t('trafficCap.none')}
      inputMode="numeric"
      autoComplete="off"
      value={text}
      error={parseCap(text) === undefined ? t('trafficCap.invalid') : refusal}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** The traffic cap of a connection, and what the connection can cost at most. */
/** @returns megabytes; null for an empty text, which is no cap; undefined if it is not a cap */
export function parseCap(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const megabytes = /^\d{1,9}$/.test(trimmed) ? Number(trimmed) : 0;
  return megabytes >= 1 && megabytes <= CAP_MEGABYTES_MAX ? megabytes : undefined;
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

/** In US dollars: the price of the cap, but at least that of the prepaid megabytes, and at most the available money. */
export function maximumCharge({ price, cap, balance, paidFor = 0 }: CappedTraffic): number {
  const affordable = balance + paidFor;
  return cap === null ? affordable : Math.min(Math.max(cap, PREPAID_MEGABYTES) * megabytePrice(price), affordable);
}

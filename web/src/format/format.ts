import { PREPAID_MEGABYTES, PRICED_MEGABYTES } from '@cellhop/contract/limits';
import { countText, decimalMark, dollarText, groupThousands } from '@cellhop/contract/number-texts';
import type { LanguageCode } from '@cellhop/contract/schemas';
import i18next from 'i18next';

const KIB_PER_MEGABYTE = 1024;
const MEGABYTES_PER_GIGABYTE = 1024;

/** The exact amount, with 2 to 6 decimals: `$5.00`, `$0.0072`; in Russian `$0,0072`. For receipts, statements and what is typed. */
export function formatMoney(dollars: number): string {
  return dollarText(language(), dollars);
}

/** Price of the first 50 MB of a proxy; `price` is dollars for 100 MB. */
export function prepaidPrice(price: number): number {
  return price / (PRICED_MEGABYTES / PREPAID_MEGABYTES);
}

/** Price of each further megabyte; `price` is dollars for 100 MB. */
export function megabytePrice(price: number): number {
  return price / PRICED_MEGABYTES;
}

/** Megabytes with one decimal, from KiB: `1,234.5`. */
export function formatMegabytes(kibibytes: number): string {
  const [whole = '0', decimal = '0'] = (kibibytes / KIB_PER_MEGABYTE).toFixed(1).split('.');
  return `${groupThousands(language(), whole)}${decimalMark(language())}${decimal}`;
}

/**
 * Traffic as people read it, from KiB: `512.5 MB`, and from a gigabyte (1,024 MB) on `1.21 GB`. Megabytes that are charged or
 * limited stay megabytes.
 */
export function formatTraffic(kibibytes: number): string {
  const unit = trafficUnit(kibibytes);
  if (unit === 'megabytes') return i18next.t('common:megabytes', { value: formatMegabytes(kibibytes) });
  return formatGigabytes(kibibytes);
}

/** From KiB: `0.31 GB`. For sums that are compared with each other. */
export function formatGigabytes(kibibytes: number): string {
  const gigabytes = (kibibytes / KIB_PER_UNIT.gigabytes).toFixed(2);
  return i18next.t('common:gigabytes', { value: formatDecimal(gigabytes) });
}

export type TrafficUnit = 'megabytes' | 'gigabytes';

export const KIB_PER_UNIT: Record<TrafficUnit, number> = {
  megabytes: KIB_PER_MEGABYTE,
  gigabytes: KIB_PER_MEGABYTE * MEGABYTES_PER_GIGABYTE,
};

/** The unit for traffic of this size. What rounds to 1,024.0 MB is a gigabyte. */
export function trafficUnit(kibibytes: number): TrafficUnit {
  return Math.round((kibibytes / KIB_PER_MEGABYTE) * 10) < MEGABYTES_PER_GIGABYTE * 10 ? 'megabytes' : 'gigabytes';
}

/** A decimal number with thousands separators and all of its decimals: `-1,284.50` for "-1284.50". */
export function formatDecimal(decimal: string): string {
  const [whole = '', decimals] = decimal.replace('-', '').split('.');
  const fraction = decimals === undefined ? '' : `${decimalMark(language())}${decimals}`;
  return `${decimal.startsWith('-') ? '-' : ''}${groupThousands(language(), whole)}${fraction}`;
}

/** With thousands separators: `1,284`. */
export function formatCount(count: number): string {
  return countText(language(), count);
}

/** Of the interface. */
export function language(): LanguageCode {
  return i18next.resolvedLanguage === 'ru' ? 'ru' : 'en';
}

/** `21.11.2026 18:05` in the user's time zone. */
export function formatDate(iso: string): string {
  const date = new Date(iso);
  const day = `${twoDigits(date.getDate())}.${twoDigits(date.getMonth() + 1)}.${date.getFullYear()}`;
  return `${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/** `21.11.2026 18:05:09`: for events that can occur several times a minute. */
export function formatMoment(iso: string): string {
  return `${formatDate(iso)}:${twoDigits(new Date(iso).getSeconds())}`;
}

const ages = [
  { unit: 'days', seconds: 86_400 },
  { unit: 'hours', seconds: 3600 },
  { unit: 'minutes', seconds: 60 },
] as const;

/** How long ago something happened: `34 s ago`, `2 min ago`. 0 if the clock of this device is behind. */
export function formatAge(iso: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(iso)) / 1000));
  const age = ages.find((each) => seconds >= each.seconds);
  if (!age) return i18next.t('common:ago.seconds', { number: seconds });
  return i18next.t(`common:ago.${age.unit}`, { number: Math.floor(seconds / age.seconds) });
}

/** `5` as `05`. */
export function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** Whole minutes and the remaining seconds. */
export function splitSeconds(seconds: number): { minutes: number; seconds: number } {
  return { minutes: Math.floor(seconds / 60), seconds: seconds % 60 };
}

/** `100+` for a number that was counted no further than the limit. */
export function formatLimitedCount(count: number, limit: number): string {
  return count >= limit ? `${formatCount(limit)}+` : formatCount(count);
}

/** A wait: `0:58`, `12:05`, with hours `1:05:09`. */
export function formatClock(total: number): string {
  const { minutes, seconds } = splitSeconds(total);
  if (minutes < 60) return `${minutes}:${twoDigits(seconds)}`;
  return `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}:${twoDigits(seconds)}`;
}

/**
 * The name of a country, from the texts that all screens of signed-in users load; unknown codes are returned as they are. Not by
 * `Intl.DisplayNames`: its first use takes a slow phone 80 to 300 ms, while the first screen renders.
 */
export function countryName(code: string, language: string): string {
  const name: unknown = i18next.getResource(language, 'country', code.toUpperCase());
  return typeof name === 'string' ? name : code;
}

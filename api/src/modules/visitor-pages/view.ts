import { megabytePriceText, priceText } from '@cellhop/contract/number-texts';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Seller } from '@cellhop/contract/settings';
import { toDollars } from '@cellhop/contract/units';
import type { Currency } from '@cellhop/contract/invoices.values';
import { escapeHtml } from '../../mail/layout.ts';
import type { Stock } from '../proxies/proxies.service.ts';
import type { Offer } from '../referrals/referrals.service.ts';
import type { Proof } from './proof.ts';
import { visitorTexts, type VisitorTexts } from './texts.ts';

export const MEGABYTES_PER_GIGABYTE = 1024;

/** What is the same for all pages and as long as the process runs. */
export interface Shop {
  brandName: string;
  publicUrl: string;
  contactEmail: string | undefined;
  abuseEmail: string | undefined;
  /** HTML. */
  logo: string;
  /** Who runs it; undefined if the operator has not said. */
  seller: Seller | undefined;
  refundSeconds: number;
  currencies: readonly Currency[];
  /** The address of a country's flag. */
  findFlag: (countryCode: string) => string | undefined;
}

/** What a page is rendered from. */
export interface View {
  shop: Shop;
  languageCode: LanguageCode;
  texts: VisitorTexts;
  offer: Offer | undefined;
  /** Undefined if it cannot be read. */
  stock: Stock | undefined;
  proof: Proof | undefined;
}

/** A page without its frame. */
export interface PageParts {
  title: string;
  description: string;
  /** HTML. */
  main: string;
  /** Search engines list pages that are there. */
  status: 200 | 404 | 503;
}

export function createView(
  shop: Shop,
  languageCode: LanguageCode,
  known: Pick<View, 'offer' | 'stock' | 'proof'>,
): View {
  return { shop, languageCode, texts: visitorTexts[languageCode], ...known };
}

/** What a megabyte costs at least, by the price list; undefined if nothing is on it. */
export function headlinePrice(view: View): string | undefined {
  const priceMicros = view.proof?.priceMicros;
  return priceMicros === undefined ? undefined : megabytePrice(view, priceMicros);
}

/** @param micros micro-dollars */
export function megabytePrice({ languageCode }: View, micros: bigint): string {
  return megabytePriceText(languageCode, toDollars(micros));
}

/** In cents, rounded up, so that nothing costs more than it says: $4.10 for a gigabyte of $4.096. */
export function megabytesPrice({ languageCode }: View, micros: bigint, megabytes: number): string {
  return priceText(languageCode, toDollars(micros * BigInt(megabytes)));
}

/** An operator may import any code of two letters. With ё, as all Russian texts, which the names of Unicode lack in a word. */
export function countryName(languageCode: LanguageCode, countryCode: string): string {
  if (!/^[A-Z]{2}$/.test(countryCode)) return countryCode;
  const name = new Intl.DisplayNames([languageCode], { type: 'region' }).of(countryCode) ?? countryCode;
  return name.replace('диненн', 'динённ');
}

/** By name. */
export function sortedCountries({ stock, languageCode }: View) {
  const { compare } = new Intl.Collator(languageCode);
  const named = (stock?.countries ?? []).map((country) => ({
    ...country,
    name: countryName(languageCode, country.countryCode),
  }));
  return named.sort((one, other) => compare(one.name, other.name));
}

/** Beside the name of the country, so screen readers skip it. */
export function flag({ findFlag }: Shop, countryCode: string): string {
  const url = findFlag(countryCode);
  if (url === undefined) return '';
  return `<img class="flag" src="${escapeHtml(url)}" alt="" width="24" height="18" loading="lazy">`;
}

/** Names with their figures, in an order that reads well. */
export function figures(values: readonly (readonly [name: string, value: string | undefined])[]): string {
  const items = values.flatMap(([name, value]) =>
    value === undefined ? [] : [`<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`],
  );
  return `<dl class="figures">${items.join('')}</dl>`;
}

export function counted({ texts, stock }: View): string {
  if (stock === undefined) return '';
  const iso = stock.countedAt.toISOString();
  return `<p class="note"><time datetime="${iso}">${escapeHtml(texts.counted(iso.slice(11, 16)))}</time></p>`;
}

/** What a page has instead of its list. @returns undefined if there is a list */
export function missingStock({ texts, stock }: View): string | undefined {
  if (stock === undefined) return `<p class="notice" role="status">${escapeHtml(texts.unavailable)}</p>`;
  return stock.countries.length === 0 ? `<p class="notice">${escapeHtml(texts.none)}</p>` : undefined;
}

/** Those with the most free proxies first. */
export function namesByCount(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).map(([name]) => name);
}

import type { Language } from '../i18n/languages.ts';

/** Beyond any amount, and short enough for numbers to be exact. */
const LENGTH_MAX = 20;

/**
 * How amounts are written in each language. The separators of one amount are all the same, and stand before every three
 * digits or nowhere: otherwise "42,50", which elsewhere means $42.50, would be taken for $4250.
 */
const notations: Record<Language, RegExp> = {
  en: /^(?<whole>0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(?<cents>\d{0,2}))?$/,
  ru: /^(?<whole>0|[1-9]\d*|[1-9]\d{0,2}(?:(?<separator>[ \u00A0\u2009\u202F])\d{3})(?:\k<separator>\d{3})*)(?:[,.](?<cents>\d{0,2}))?$/,
};

/** Dollars with at most two decimals as the reader's language writes them; undefined for everything else. */
export function parseAmount(text: string, language: Language): number | undefined {
  const written = text.trim().replace(/^\$\s*/, '');
  const { whole, cents } = (written.length <= LENGTH_MAX ? notations[language].exec(written)?.groups : undefined) ?? {};
  return whole === undefined ? undefined : Number(`${whole.replaceAll(/\D/g, '')}.${cents ?? ''}`);
}

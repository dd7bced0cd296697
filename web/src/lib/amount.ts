import type { Language } from '../i18n/languages.ts';

/** Longer than any amount, and short enough for exact numbers. */
const LENGTH_MAX = 20;

/**
 * The notation of amounts in each language. An amount uses one kind of group separator, before every three digits or
 * not at all: otherwise "42,50", which in other notations means $42.50, would be read as $4250.
 */
const notations: Record<Language, RegExp> = {
  en: /^(?<whole>0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(?<cents>\d{0,2}))?$/,
  ru: /^(?<whole>0|[1-9]\d*|[1-9]\d{0,2}(?:(?<separator>[ \u00A0\u2009\u202F])\d{3})(?:\k<separator>\d{3})*)(?:[,.](?<cents>\d{0,2}))?$/,
};

/** Dollars with at most two decimals in the notation of the user's language; undefined for any other text. */
export function parseAmount(text: string, language: Language): number | undefined {
  const trimmed = text.trim().replace(/^\$\s*/, '');
  const { whole, cents } = (trimmed.length <= LENGTH_MAX ? notations[language].exec(trimmed)?.groups : undefined) ?? {};
  return whole === undefined ? undefined : Number(`${whole.replaceAll(/\D/g, '')}.${cents ?? ''}`);
}

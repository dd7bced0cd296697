import i18next from 'i18next';
import { FALLBACK_LANGUAGE, isLanguage, type Language } from '../i18n/languages.ts';

interface AmountNotation {
  /** The largest number of decimals. */
  decimals?: number;
  /** Whether "+5" and "-5" are amounts: those of corrections. */
  isSigned?: boolean;
  /** May be typed before or after a number of dollars, and after a percentage. '' for counts. */
  unit?: Unit;
  language?: Language;
}

export type Unit = '$' | '%' | '';

const DECIMALS = 2;
/** Longer than the whole part of any amount, and short enough for exact numbers. */
const WHOLE_LENGTH_MAX = 20;

/**
 * The notation of amounts in each language. An amount uses one kind of group separator, before every three digits or
 * not at all: otherwise "42,50", which in other notations means $42.50, would be read as $4250.
 */
const notations: Record<Language, RegExp> = {
  en: /^(?<whole>0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(?<fraction>\d*))?$/,
  ru: /^(?<whole>0|[1-9]\d*|[1-9]\d{0,2}(?:(?<separator>[ \u00A0\u2009\u202F])\d{3})(?:\k<separator>\d{3})*)(?:[,.](?<fraction>\d*))?$/,
};
/** The sign, and the number without its unit. */
const units: Record<Unit, RegExp> = {
  $: /^(?<sign>[+−-]?)\s*(?:\$\s*(?<after>.+)|(?<before>.+?)\s*\$|(?<bare>.*))$/su,
  '%': /^(?<sign>[+−-]?)\s*(?<before>.*?)\s*%?$/su,
  '': /^(?<sign>[+−-]?)\s*(?<bare>.*)$/su,
};
/** "1,234" is a thousand in English and one in Russian. Members of staff may be used to either. */
const AMBIGUOUS_IN_RUSSIAN = /^[1-9]\d{0,2},\d{3}$/;

/** A number in the notation of the user's language, with every decimal: "1234.50" for "1,234.50". Undefined for any other text. */
export function parseDecimal(text: string, notation: AmountNotation = {}): string | undefined {
  const { decimals = DECIMALS, isSigned = false, unit = '$', language = interfaceLanguage() } = notation;
  const { sign = '', after, before, bare } = units[unit].exec(text.trim())?.groups ?? {};
  const size = after ?? before ?? bare ?? '';
  if (sign !== '' && !isSigned) return undefined;
  if (size.length > WHOLE_LENGTH_MAX + decimals) return undefined;
  if (language === 'ru' && AMBIGUOUS_IN_RUSSIAN.test(size)) return undefined;
  const { whole, fraction = '' } = notations[language].exec(size)?.groups ?? {};
  if (whole === undefined || fraction.length > decimals) return undefined;
  const digits = whole.replaceAll(/\D/g, '');
  return `${sign === '' || sign === '+' ? '' : '-'}${digits}${fraction === '' ? '' : `.${fraction}`}`;
}

function interfaceLanguage(): Language {
  const language = i18next.resolvedLanguage;
  return isLanguage(language) ? language : FALLBACK_LANGUAGE;
}

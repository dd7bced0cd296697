/**
 * Checks of query parameters. Plain functions: a zod schema here would load zod with the landing page. What is refused
 * is named as undefined: the router lays the result over the raw parameters, where a missing key would let it through.
 */
import { FILTER_VALUE_LENGTH_MAX } from '@cellhop/contract/limits';

export type Search = Record<string, unknown>;

export function pageSearch(search: Search): { page?: number | undefined } {
  const page = Number(search['page']);
  return { page: Number.isSafeInteger(page) && page > 1 ? page : undefined };
}

/** `create`: the dialog for something new is open, so that a sign-in in between leads back to it. */
export function creatingSearch(search: Search): { page?: number | undefined; create?: true | undefined } {
  return { ...pageSearch(search), create: String(search['create']) === 'true' ? true : undefined };
}

/** Links inside the app may pass a number where the address has text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function oneOf<T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((each) => each === value);
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && ID.test(value) ? value : undefined;
}

/** The day after it must have a year of four digits in every time zone. */
const LAST_DAY = '9999-12-30';

/** Only days that exist: the 30th of February is none. */
export function dayOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const day = new Date(`${value}T00:00:00Z`);
  return value > LAST_DAY || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value) ? undefined : value;
}

/** Texts of a repeated parameter, each once; what the API would refuse is left out. */
export function textsOf(value: unknown): string[] {
  const texts = [value].flat().map(textOf);
  return [...new Set(texts)].filter((text) => text !== undefined && text.length <= FILTER_VALUE_LENGTH_MAX) as string[];
}

/**
 * Validation of URL parameters. Plain functions, because a zod schema here would load zod at the start of the app. Invalid
 * parameters are returned as undefined: the router merges the result into the raw parameters, where a missing key would
 * keep the raw value.
 */
import { FILTER_VALUE_LENGTH_MAX } from '@cellhop/contract/limits';

export type Search = Record<string, unknown>;

/** The parameters of a screen, all of them optional in links to it. */
export function searchParameters<S extends object>(validate: (search: Search) => S): (search: Search) => Partial<S> {
  return validate;
}

export function pageSearch(search: Search): { page?: number | undefined } {
  const page = numberParameter(search['page']);
  return { page: page === 1 ? undefined : page };
}

/** `create`: the dialog for a new item is open. In the URL, so that a sign-in returns to it. */
export function creatingSearch(search: Search): { page?: number | undefined; create?: true | undefined } {
  return { ...pageSearch(search), create: String(search['create']) === 'true' ? true : undefined };
}

export function numberParameter(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** Links inside the app may pass a number for a text parameter. */
export function textParameter(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function oneOf<T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((each) => each === value);
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function idParameter(value: unknown): string | undefined {
  return typeof value === 'string' && ID.test(value) ? value : undefined;
}

/** The next day must have a year of four digits in every time zone. */
const LAST_DAY = '9999-12-30';

/** Only days that exist: not the 30th of February. */
export function dayParameter(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const day = new Date(`${value}T00:00:00Z`);
  return value > LAST_DAY || Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value) ? undefined : value;
}

/** Values of a repeated parameter without duplicates and without those that the API would refuse. */
export function textParameters(value: unknown): string[] {
  const texts = [value].flat().map(textParameter);
  return [...new Set(texts)].filter((text) => text !== undefined && text.length <= FILTER_VALUE_LENGTH_MAX) as string[];
}

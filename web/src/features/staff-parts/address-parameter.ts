import { textParameter } from '../../loading/search-values.ts';

/** The API decides whether it is an address; other texts are not sent. */
export function addressParameter(value: unknown): string | undefined {
  const text = textParameter(value)?.trim();
  return text !== undefined && /^[\d.]{7,15}$|^[\da-f:.]*:[\da-f:.]*$/i.test(text) && text.length <= 45
    ? text
    : undefined;
}

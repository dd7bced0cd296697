/** Numbers of imported files, which spreadsheets write with the decimal mark of their language. */

/** A thousand where the point is the decimal mark, and one where the comma is. */
const AMBIGUOUS = /^[1-9]\d{0,2},\d{3}$/;

/** The number with a decimal point. Unchanged, so that it is refused, if its comma may have another meaning. */
export function withDecimalPoint(text: string): string {
  return AMBIGUOUS.test(text) ? text : text.replace(/^(\d+),(\d+)$/, '$1.$2');
}

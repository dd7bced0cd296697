/** The cells of all exported CSV files (RFC 4180). Spreadsheets open them, so none is a formula. */

/**
 * Where a spreadsheet would begin a formula: at the start of a cell, and after what some spreadsheet takes for the end of a cell, because one
 * that expects another delimiter splits at it inside quotes too. A lone hyphen is a text.
 */
const FORMULA = /(^|[,;\t\r\n"])('*)(?=[=+@＝＋＠]|[-－].)/gsu;
const MARKED_FORMULA = /(^|[,;\t\r\n"])'('*)(?=[=+@＝＋＠]|[-－].)/gsu;

/** A text as a cell with any of the usual delimiters. An apostrophe before a formula makes it a text (CSV injection). */
export function csvCell(text: string): string {
  const harmless = text.replaceAll(FORMULA, "$1'$2");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** The text of a cell of `csvCell`, without its quotes. */
export function fromCsvCell(cell: string): string {
  return cell.replaceAll(MARKED_FORMULA, '$1$2');
}

/** Letters and digits, with spaces and the punctuation of tax numbers between them. Empty: none. */
export function isTaxId(text: string): boolean {
  return text === '' || /^[\p{L}\d][\p{L}\d ./-]*$/u.test(text);
}

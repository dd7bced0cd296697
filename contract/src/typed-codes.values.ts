/** A code as it was meant: keyboards and apps write full-width letters, Arabic digits, other dashes and invisible marks of direction. */
export function asciiCode(typed: string): string {
  return typed
    .normalize('NFKC')
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .replaceAll(/[\p{Pd}\u2212]/gu, '-')
    .replaceAll(/\p{Cf}/gu, '');
}

/** Of a code whose groups may be written with spaces or dashes. */
export function bareCode(typed: string): string {
  return asciiCode(typed).replaceAll(/[\s-]/g, '');
}

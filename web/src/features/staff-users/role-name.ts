import { ROLE_NAME_LENGTH_MAX, ROLE_NAME_LENGTH_MIN } from '@cellhop/contract/limits';

/** Checked by hand, because the contract's schema would load zod with the URL parameters. */
export function isRoleName(text: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(text) && text.length >= ROLE_NAME_LENGTH_MIN && text.length <= ROLE_NAME_LENGTH_MAX;
}

/** Converts typed text to a role name: upper case, and _ for spaces and hyphens. */
export function toRoleName(typed: string): string {
  return typed
    .toUpperCase()
    .replaceAll(/[\s-]/g, '_')
    .replaceAll(/[^A-Z0-9_]/g, '');
}

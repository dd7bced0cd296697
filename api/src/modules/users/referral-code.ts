import { randomInt } from 'node:crypto';

/** Read out on the telephone or copied by hand: nothing that looks like something else (no 0, 1, I, L, O, U). */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 30^10 codes: two users get the same one never in practice, and the database refuses the second. */
const LENGTH = 10;

export function newReferralCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

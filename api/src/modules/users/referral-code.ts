import { randomInt } from 'node:crypto';

/** Codes are spoken or copied by hand, so there are no look-alikes (0, 1, I, L, O, U). */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
/** With 30^10 codes a collision is practically impossible, and the database would refuse it. */
const LENGTH = 10;

export function newReferralCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

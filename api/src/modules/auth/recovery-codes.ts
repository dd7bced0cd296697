/** Codes on paper for the day when the telephone is lost. Each works once. */
import { createHmac, randomInt } from 'node:crypto';
import { deriveKey } from '../../keys.ts';

/** Copied by hand: nothing that looks like something else. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const CODES = 10;
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Sixteen characters of 31, 79 bits: "abcd-efgh-jkmn-pqrs". */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, newGroup).join('-'));
}

function newGroup(): string {
  return Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** A keyed hash: who has the database alone cannot try out codes. @param code as typed, with dashes, spaces and capitals or without */
export function hashRecoveryCode(secretKey: string, userId: string, code: string): Buffer {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '');
  return createHmac('sha256', deriveKey(secretKey, 'recovery-codes')).update(`${userId}:${plain}`).digest();
}

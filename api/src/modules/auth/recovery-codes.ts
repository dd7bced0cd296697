/** Codes on paper for the day when the telephone is lost. Each works once. */
import { createHmac, randomInt } from 'node:crypto';
import { deriveKeys, type SecretKeys } from '../../keys.ts';

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

/**
 * A keyed hash: who has the database alone cannot try out codes.
 * @param code as typed, with dashes, spaces and capitals or without
 * @returns one for each key, that of the newest first
 */
export function hashRecoveryCode(secretKeys: SecretKeys, userId: string, code: string): [Buffer, ...Buffer[]] {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '');
  const hash = (key: Buffer) => createHmac('sha256', key).update(`${userId}:${plain}`).digest();
  const [newest, ...older] = deriveKeys(secretKeys, 'recovery-codes');
  return [hash(newest), ...older.map(hash)];
}

/** Single-use recovery codes for users who have lost their authenticator app. */
import { createHmac, randomInt } from 'node:crypto';
import { deriveKeys, type SecretKeys } from '../../secrets/keys.ts';

/** Without look-alikes, because codes are copied by hand. */
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
 * A keyed hash, so that access to the database alone does not allow an offline attack.
 * @param code as entered, with or without dashes, spaces and capitals
 * @returns one hash per key, newest first
 */
export function hashRecoveryCode(secretKeys: SecretKeys, userId: string, code: string): [Buffer, ...Buffer[]] {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '');
  const hash = (key: Buffer) => createHmac('sha256', key).update(`${userId}:${plain}`).digest();
  const [newest, ...older] = deriveKeys(secretKeys, 'recovery-codes');
  return [hash(newest), ...older.map(hash)];
}

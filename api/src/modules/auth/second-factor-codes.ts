/** The codes of two-factor sign-in: one-time passwords of an app, and single-use codes for users who have lost it. */
import { createHmac, randomBytes, timingSafeEqual, randomInt } from 'node:crypto';
import { deriveKeys, type SecretKeys } from '../../secrets/keys.ts';

// One-time passwords by time (RFC 6238), with the parameters of authenticator apps: SHA-1, 30 seconds, 6 digits.

/** The length of the hash, as RFC 4226 (section 4, R6) recommends. */
const SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;
/** Accepts the previous and the next step too, for clock drift and slow typing. */
const DRIFT_STEPS = 1;
/** RFC 4648. */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @returns Base32 without padding: 20 bytes need none */
export function newTotpSecret(): string {
  return encodeBase32(randomBytes(SECRET_BYTES));
}

/** The content of the QR code. The label repeats the brand name for apps that ignore the issuer. */
export function totpUri(secret: string, brandName: string, email: string): string {
  const label = `${encodeURIComponent(brandName)}:${encodeURIComponent(email)}`;
  const query = `secret=${secret}&issuer=${encodeURIComponent(brandName)}&algorithm=SHA1&digits=${DIGITS}&period=30`;
  return `otpauth://totp/${label}?${query}`;
}

/** @returns the newest matching time step; undefined if the code does not match now */
export function findStep(secret: string, code: string, nowMs: number): number | undefined {
  const presented = Buffer.from(code);
  const now = Math.floor(nowMs / STEP_MS);
  let found: number | undefined;
  // Always compares all steps, each in constant time, to prevent timing attacks.
  for (let step = now - DRIFT_STEPS; step <= now + DRIFT_STEPS; step++) {
    const expected = Buffer.from(codeAt(secret, step));
    if (expected.length === presented.length && timingSafeEqual(expected, presented)) found = step;
  }
  return found;
}

/** @param step the number of half minutes since 1970 */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  // Dynamic truncation (RFC 4226, section 5.3): the last four bits are the offset of the 31 bits.
  const offset = digest.at(-1)! & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

function encodeBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits
    .match(/.{5}/g)!
    .map((group) => BASE32[Number.parseInt(group, 2)])
    .join('');
}

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g)!.map((group) => Number.parseInt(group, 2)));
}

// Recovery codes.

/** Without look-alikes, because codes are copied by hand. */
const RECOVERY_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const RECOVERY_CODES = 10;
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Sixteen characters of 31, 79 bits: "abcd-efgh-jkmn-pqrs". */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => Array.from({ length: GROUPS }, newGroup).join('-'));
}

function newGroup(): string {
  return Array.from({ length: GROUP_LENGTH }, () => RECOVERY_ALPHABET[randomInt(RECOVERY_ALPHABET.length)]).join('');
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

/**
 * A client that has signed in gets a device token, which exempts it from limits that attackers have used up. The token is an HMAC over
 * the password hash, so a new password invalidates all of them.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey, deriveKeys, type SecretKeys } from '../../secrets/keys.ts';

const ID_BYTES = 16;
const TOKEN_PATTERN = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

interface Owner {
  userId: string;
  passwordHash: string;
}

export function newDeviceToken(secretKeys: SecretKeys, owner: Owner): string {
  const id = randomBytes(ID_BYTES).toString('base64url');
  return `${id}.${computeMac(deriveKey(secretKeys, 'device-token'), owner, id).toString('base64url')}`;
}

/** @returns the device's id; undefined if the token is invalid for this account and its current password */
export function readDeviceToken(secretKeys: SecretKeys, owner: Owner, token: string): string | undefined {
  const [, id, mac] = TOKEN_PATTERN.exec(token) ?? [];
  if (id === undefined || mac === undefined) return undefined;
  const presented = Buffer.from(mac, 'base64url');
  const isGenuine = deriveKeys(secretKeys, 'device-token').some((key) =>
    timingSafeEqual(computeMac(key, owner, id), presented),
  );
  return isGenuine ? id : undefined;
}

function computeMac(key: Buffer, { userId, passwordHash }: Owner, id: string): Buffer {
  return createHmac('sha256', key).update(`${userId}\n${id}\n${passwordHash}`).digest();
}

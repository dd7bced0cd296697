/**
 * A browser or program that has signed in keeps a token of that: failed sign-ins of strangers do not count against it. Nobody can make
 * one without having known the password; a new password makes all of them worthless.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey, deriveKeys, type SecretKeys } from '../../keys.ts';

const ID_BYTES = 16;
const TOKEN_PATTERN = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

interface Owner {
  userId: string;
  passwordHash: string;
}

export function newDeviceToken(secretKeys: SecretKeys, owner: Owner): string {
  const id = randomBytes(ID_BYTES).toString('base64url');
  return `${id}.${prove(deriveKey(secretKeys, 'device-token'), owner, id).toString('base64url')}`;
}

/** @returns the device's id; undefined if the token is not one of this account as it is now */
export function readDeviceToken(secretKeys: SecretKeys, owner: Owner, token: string): string | undefined {
  const [, id, proof] = TOKEN_PATTERN.exec(token) ?? [];
  if (id === undefined || proof === undefined) return undefined;
  const presented = Buffer.from(proof, 'base64url');
  const isGenuine = deriveKeys(secretKeys, 'device-token').some((key) =>
    timingSafeEqual(prove(key, owner, id), presented),
  );
  return isGenuine ? id : undefined;
}

function prove(key: Buffer, { userId, passwordHash }: Owner, id: string): Buffer {
  return createHmac('sha256', key).update(`${userId}\n${id}\n${passwordHash}`).digest();
}

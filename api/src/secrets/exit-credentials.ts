/** The credentials of upstream proxies at rest: encrypted, and hashed with a key so that an import recognizes known credentials. */
import { createHmac } from 'node:crypto';
import { credentialsSchema, type ExitCredentials, type ExitParameters } from '@cellhop/contract/exits';
import { deriveKey, deriveKeys, type SecretKeys } from './keys.ts';
import { seal, tryUnseal } from './sealing.ts';

/** Key derivation contexts. */
const ENCRYPTION = 'exit-credentials-encryption';
const CHECK = 'exit-credentials-check';

/** A ciphertext copied to another host does not decrypt, so credentials are never sent to the wrong proxy. */
export function encryptCredentials(
  secretKeys: SecretKeys,
  parameters: ExitParameters,
  credentials: ExitCredentials,
): Buffer {
  return encryptText(secretKeys, ownerName(parameters), toText(credentials));
}

/** @returns undefined if the key was removed or the ciphertext belongs to another host */
export function decryptCredentials(
  secretKeys: SecretKeys,
  parameters: ExitParameters,
  encrypted: Buffer,
): ExitCredentials | undefined {
  const opened = tryUnseal(credentialsKeys(secretKeys), ownerName(parameters), encrypted);
  return opened && credentialsSchema.parse(JSON.parse(opened.secret));
}

/** @returns the hash by each key, the newest key first */
export function hashCredentials(secretKeys: SecretKeys, credentials: ExitCredentials): Buffer[] {
  return deriveKeys(secretKeys, CHECK).map((key) => hashWith(key, toText(credentials)));
}

export function credentialsKeys(secretKeys: SecretKeys): readonly Buffer[] {
  return deriveKeys(secretKeys, ENCRYPTION);
}

/** Encrypts and hashes decrypted credentials again, with the newest key. */
export function resealCredentials(secretKeys: SecretKeys, owner: string, text: string) {
  return { encrypted: encryptText(secretKeys, owner, text), hash: hashWith(deriveKey(secretKeys, CHECK), text) };
}

const encryptText = (secretKeys: SecretKeys, owner: string, text: string) =>
  seal(deriveKey(secretKeys, ENCRYPTION), owner, text);

const ownerName = ({ host, port }: ExitParameters) => `${String(host)}:${String(port)}`;

const toText = ({ username, password }: ExitCredentials) => JSON.stringify({ username, password });

const hashWith = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

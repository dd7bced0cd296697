import type { Credentials } from './socks5.ts';

const CREDENTIAL_BYTES_MAX = 255;

/** Parses `Basic base64(user:password)`: split at the first colon, UTF-8 (RFC 7617). */
export function parseBasicCredentials(field: string | undefined): Credentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(field ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) return undefined;
  const credentials = { username: text.slice(0, colon), password: text.slice(colon + 1) };
  const isShort = Object.values(credentials).every((part) => part.length <= CREDENTIAL_BYTES_MAX);
  return isShort ? credentials : undefined;
}

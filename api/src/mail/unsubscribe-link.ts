/** The link in emails of broadcasts that switches them off. It works without a sign-in, until the key that signed it is removed. */
import { UNSUBSCRIBE_PATH } from '@cellhop/contract/alerts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Config } from '../process/config.ts';
import { deriveKey, deriveKeys, type SecretKeys } from '../secrets/keys.ts';

/** Key derivation context. */
const PURPOSE = 'unsubscribe-links';

export function unsubscribeLink(
  { publicUrl, secretKeys }: Pick<Config, 'publicUrl' | 'secretKeys'>,
  userId: string,
): string {
  const code = `${userId}.${sign(deriveKey(secretKeys, PURPOSE), userId).toString('base64url')}`;
  return `${publicUrl}${UNSUBSCRIBE_PATH}?${new URLSearchParams({ code }).toString()}`;
}

/** @returns the id of the user to whom the link was sent; undefined if no key of SECRET_KEY has signed it */
export function readUnsubscribeCode(secretKeys: SecretKeys, code: string): string | undefined {
  const [userId = '', signature = ''] = code.split('.');
  const sent = Buffer.from(signature, 'base64url');
  const isValid = deriveKeys(secretKeys, PURPOSE)
    .map((key) => sign(key, userId))
    .some((expected) => expected.length === sent.length && timingSafeEqual(expected, sent));
  return isValid ? userId : undefined;
}

const sign = (key: Buffer, userId: string) => createHmac('sha256', key).update(userId).digest();

/** RFC 2369, section 3.2, and RFC 8058, section 3.1: mail programs show a button, and unsubscribe without opening the page. */
export function unsubscribeHeaders(link: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

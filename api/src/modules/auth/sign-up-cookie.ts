/**
 * The secret that a sign-up leaves in its browser. No script can read it, no other site can make the browser send it, and with HTTPS not
 * even another host of the same domain can set it (`__Host-`, RFC 6265bis): nobody can be signed in to the account of somebody else.
 */
import type { Config } from '../../process/config.ts';

type PublicUrl = Pick<Config, 'publicUrl'>;

/** As long as the first code. */
const LIFETIME_SECONDS = 24 * 60 * 60;
const SECRET_PATTERN = /^[\w-]{43}$/;

/** @returns the value of a Set-Cookie header */
export function signUpCookie(config: PublicUrl, secret: string): string {
  return `${cookieName(config)}=${secret}; Max-Age=${LIFETIME_SECONDS}${attributes(config)}`;
}

/** @returns the value of a Set-Cookie header that removes the secret */
export function removedSignUpCookie(config: PublicUrl): string {
  return `${cookieName(config)}=; Max-Age=0${attributes(config)}`;
}

/** @param header of the request. @returns undefined without a sign-up in this browser */
export function readSignUpSecret(config: PublicUrl, header: string | undefined): string | undefined {
  const start = `${cookieName(config)}=`;
  const pair = header?.split(';').find((text) => text.trim().startsWith(start));
  const secret = pair?.trim().slice(start.length);
  return secret !== undefined && SECRET_PATTERN.test(secret) ? secret : undefined;
}

function cookieName(config: PublicUrl): string {
  return isSecure(config) ? '__Host-sign-up' : 'sign-up';
}

function attributes(config: PublicUrl): string {
  return `; Path=/; HttpOnly; SameSite=Strict${isSecure(config) ? '; Secure' : ''}`;
}

function isSecure({ publicUrl }: PublicUrl): boolean {
  return publicUrl.startsWith('https:');
}

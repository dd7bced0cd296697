import { createHash } from 'node:crypto';

/** A strong tag: the same bytes have the same one. */
export function etagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** RFC 9110, section 13.1.2: a list of tags, compared weakly. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;
}

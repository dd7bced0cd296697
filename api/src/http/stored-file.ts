import type { FastifyReply } from 'fastify';
import { replacePageHeaders } from './security.ts';

/** A file that users have made. */
export interface StoredFile {
  name: string;
  type: string;
  content: Buffer;
}

/** Browsers save it, believe its type, and run nothing in it. */
export function sendFile(reply: FastifyReply, { name, type, content }: StoredFile): FastifyReply {
  replacePageHeaders(reply);
  return reply
    .type(type.startsWith('text/') ? `${type}; charset=utf-8` : type)
    .header('cache-control', 'no-store')
    .header('content-security-policy', "sandbox;default-src 'none';frame-ancestors 'none'")
    .header('x-content-type-options', 'nosniff')
    .header('content-disposition', `attachment; filename*=UTF-8''${encodeName(name)}`)
    .send(content);
}

/** RFC 8187, section 3.2.1. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
}

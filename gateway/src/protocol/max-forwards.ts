/** TRACE and OPTIONS requests that may pass only so many proxies (RFC 9110, section 7.6.2). */
import type { RequestHead } from './http-fields.ts';

const METHODS = new Set(['TRACE', 'OPTIONS']);
/** A response to TRACE must not repeat them (RFC 9110, section 9.3.8). */
const SECRET_FIELDS = new Set(['authorization', 'proxy-authorization', 'cookie']);

interface Answer {
  readonly status: number;
  readonly fields: Record<string, string>;
  readonly body: Buffer;
}

/** @returns the answer if the gateway is the last recipient of a request */
export function lastRecipientAnswer(head: RequestHead): Answer | undefined {
  if (maxForwards(head) !== 0) return undefined;
  if (head.method !== 'TRACE') return { status: 200, fields: { 'Content-Length': '0' }, body: Buffer.alloc(0) };
  const body = receivedHead(head);
  return { status: 200, fields: { 'Content-Type': 'message/http', 'Content-Length': String(body.length) }, body };
}

/** @param fields those for the origin, as pairs of name and value */
export function forwardedOnce(head: RequestHead, fields: readonly string[]): readonly string[] {
  const max = maxForwards(head);
  if (max === undefined) return fields;
  return fields.map((text, index) => (isMaxForwards(fields[index - 1]) && index % 2 === 1 ? String(max - 1) : text));
}

/** Undefined if it is not limited. */
function maxForwards({ method, rawHeaders }: RequestHead): number | undefined {
  if (!METHODS.has(method)) return undefined;
  const value = rawHeaders.find((_, index) => index % 2 === 1 && isMaxForwards(rawHeaders[index - 1]));
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

const isMaxForwards = (name: string | undefined) => name?.toLowerCase() === 'max-forwards';

function receivedHead({ method, url, httpVersion, rawHeaders }: RequestHead): Buffer {
  const fields = rawHeaders.flatMap((name, index) => {
    const isKept = index % 2 === 0 && !SECRET_FIELDS.has(name.toLowerCase());
    return isKept ? [`${name}: ${rawHeaders[index + 1]}\r\n`] : [];
  });
  return Buffer.from(`${method} ${url} HTTP/${httpVersion}\r\n${fields.join('')}\r\n`, 'latin1');
}

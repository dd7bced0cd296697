import { randomUUID } from 'node:crypto';

/**
 * A UUID version 7 (RFC 9562): a timestamp followed by random bits, so new connections are adjacent in every index. Random ids
 * would touch a separate index page each, which is most of what a purchase writes at a million connections.
 */
export function newConnectionId(nowMs = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

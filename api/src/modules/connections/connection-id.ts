import { randomUUID } from 'node:crypto';

/**
 * A UUID version 7 (RFC 9562): the time first, then chance. New connections stand side by side in every index that way;
 * random ids would touch a page of their own each, which at a million connections is most of what a purchase writes.
 */
export function newConnectionId(nowMs = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

import { randomBytes } from 'node:crypto';

/**
 * A UUID version 7 (RFC 9562): the time first, then chance. New connections stand side by side in every index that way;
 * random ids would touch a page of their own each, which at a million connections is most of what a purchase writes.
 */
export function newConnectionId(nowMs = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

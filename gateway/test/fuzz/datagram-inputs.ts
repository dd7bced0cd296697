/** Generates datagrams of SOCKS5 clients (RFC 1928, section 7), and predicts their handling by a strict reading of the RFC. */
import type { Random } from '../../../tools/random.ts';
import { between, chance, randomBytes } from './plan.ts';

export const ORIGIN_NAME = 'origin.test';
/** Used only here: on 127.0.0.1, a datagram with a mutated port might reach another program, which might answer. */
export const ORIGIN_ADDRESS = '127.77.0.1';
const ORIGIN = ORIGIN_ADDRESS.split('.').map(Number);
const MUTATIONS_MAX = 3;
const PAYLOAD_BYTES_MAX = 1_400;

/**
 * The expected handling of a datagram. `must`: the origin gets the payload; `may`: it may get it, because parsers of names differ;
 * `never`: it is dropped; `elsewhere`: no exit of this run reaches the destination.
 */
export interface Expectation {
  readonly kind: 'must' | 'may' | 'never' | 'elsewhere';
  readonly payload: Buffer;
}

/** Each payload starts with the index, so that payloads differ. */
export function datagramInput(random: Random, index: number, originPort: number): Buffer {
  if (chance(random, 0.05)) return randomBytes(random, between(random, 0, 40));
  const payload = Buffer.concat([Buffer.alloc(4), randomBytes(random, between(random, 0, PAYLOAD_BYTES_MAX))]);
  payload.writeUInt32BE(index);
  const header = [0, 0, 0, ...pickAddress(random), originPort >> 8, originPort & 255];
  let datagram: Buffer = Buffer.concat([Buffer.from(header), payload]);
  if (chance(random, 0.5)) return datagram;
  for (let count = between(random, 1, MUTATIONS_MAX); count > 0; count -= 1) datagram = mutate(random, datagram);
  return datagram;
}

function pickAddress(random: Random): number[] {
  const kind = random.below(100);
  if (kind < 60) return [1, ...ORIGIN];
  if (kind < 75) return [4, ...Array.from({ length: 10 }, () => 0), 255, 255, ...ORIGIN];
  const name = Buffer.from(
    random.pick([ORIGIN_NAME, ORIGIN_NAME, ORIGIN_ADDRESS, '127.77.1', 'unknown.test', 'a b', 'é.test']),
  );
  return [3, name.length, ...name];
}

function mutate(random: Random, datagram: Buffer): Buffer {
  const changed = Buffer.from(datagram);
  const at = random.below(Math.min(changed.length, 24) || 1);
  const kind = random.below(10);
  if (kind < 4) changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
  else if (kind < 6) changed[at] = random.pick([0, 1, 2, 3, 4, 5, 127, 128, 255]);
  else if (kind < 8) return changed.subarray(0, at);
  else if (kind < 9) return Buffer.concat([changed.subarray(0, at), randomBytes(random, 1), changed.subarray(at)]);
  else return Buffer.concat([changed.subarray(0, at), changed.subarray(at + 1)]);
  return changed;
}

/** Shares no code with the gateway's parser. */
export function toExpectation(datagram: Buffer, originPort: number): Expectation {
  const never: Expectation = { kind: 'never', payload: Buffer.alloc(0) };
  if (datagram.length < 4 || datagram.readUIntBE(0, 3) !== 0) return never;
  const type = datagram.readUInt8(3);
  const addressAt = type === 3 ? 5 : 4;
  const sizes: Partial<Record<number, number>> = { 1: 4, 3: datagram[4] ?? 0, 4: 16 };
  const size = sizes[type] ?? 0;
  const portAt = addressAt + size;
  if (size === 0 || datagram.length < portAt + 2) return never;
  const port = datagram.readUInt16BE(portAt);
  const payload = datagram.subarray(portAt + 2);
  // Port 25 is refused for every protocol.
  if (port === 0 || port === 25) return never;
  if (type === 3) return { kind: 'may', payload };
  const address = datagram.toString('hex', addressAt, portAt).replace(/^0{20}ffff/, '');
  return { kind: address === '7f4d0001' && port === originPort ? 'must' : 'elsewhere', payload };
}

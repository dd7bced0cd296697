/** Seeded DNS messages: valid ones with mutations, and noise. */
import { address, answerTo, question, text, TYPE } from '../dns-messages.ts';

export type Random = () => number;

/** A generator of numbers from 0 to 1 (mulberry32). */
export function randomFor(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const below = (random: Random, limit: number) => Math.floor(random() * limit);
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[below(random, items.length)]!;

export function randomQuestion(random: Random): Buffer {
  const labels = Array.from({ length: below(random, 6) }, () => 'aB3-_x'.repeat(1 + below(random, 10)));
  const options = { id: below(random, 65_536), type: pick(random, Object.values(TYPE)) };
  return question(labels.join('.'), random() < 0.5 ? options : { ...options, payloadBytes: below(random, 65_536) });
}

export function randomAnswer(random: Random, asked: Buffer): Buffer {
  const records = Array.from({ length: below(random, 4) }, () =>
    random() < 0.5 ? address(`203.0.113.${below(random, 256)}`) : text(1 + below(random, 900)),
  );
  return answerTo(asked, records, 0x8180 | below(random, 16));
}

/** Changes, removes, repeats or adds bytes; also the counts of the header, and pointers of names. */
export function mutated(random: Random, message: Buffer): Buffer {
  let bytes = Buffer.from(message);
  for (let left = 1 + below(random, 3); left > 0; left -= 1) {
    const at = below(random, bytes.length + 1);
    const change = pick(random, ['set', 'cut', 'insert', 'pointer', 'count', 'repeat'] as const);
    if (change === 'set' && at < bytes.length) bytes[at] = below(random, 256);
    if (change === 'cut') bytes = bytes.subarray(0, at);
    if (change === 'insert') bytes = Buffer.concat([bytes.subarray(0, at), noise(random, 8), bytes.subarray(at)]);
    if (change === 'pointer' && at + 1 < bytes.length)
      bytes.writeUInt16BE(0xc000 | below(random, bytes.length + 4), at);
    if (change === 'count' && bytes.length >= 12) bytes.writeUInt16BE(below(random, 5), 4 + 2 * below(random, 4));
    if (change === 'repeat') bytes = Buffer.concat([bytes, bytes.subarray(at)]);
  }
  return bytes;
}

export function noise(random: Random, lengthMax: number): Buffer {
  return Buffer.from(Array.from({ length: below(random, lengthMax + 1) }, () => below(random, 256)));
}

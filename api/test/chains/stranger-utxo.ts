/** What a sender may put into a transaction of Bitcoin and Litecoin, serialized without the code of the product. */
import type { Random } from '../../../tools/random.ts';
import { doubleHash, type FakeTransaction } from './fake-utxo.ts';

export interface StrangeOutput {
  script: Buffer;
  units: bigint;
}

const bytes = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));
const anyBytes = (random: Random) => bytes(random, random.pick([0, 1, 22, 75, 76, 252, 253, 600]));
const list = <Item>(random: Random, max: number, make: () => Item): Item[] =>
  Array.from({ length: 1 + random.below(max) }, make);
const UINT32 = [0, 1, 499_999_999, 500_000_000, 0xfffffffd, 0xfffffffe, 0xffffffff];

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}
function uint64(value: bigint): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(value);
  return buffer;
}
function compactSize(value: number): Buffer {
  if (value < 0xfd) return Buffer.from([value]);
  return value > 0xffff
    ? Buffer.concat([Buffer.from([0xfe]), uint32(value)])
    : Buffer.from([0xfd, value & 0xff, value >> 8]);
}
const sized = (content: Buffer) => Buffer.concat([compactSize(content.length), content]);
const listed = (items: readonly Buffer[]) => Buffer.concat([compactSize(items.length), ...items]);

/** Scripts that are not ours, although some begin or end like ours. */
export function strangeScript(random: Random, ours: Buffer): Buffer {
  return random.pick([
    () => Buffer.alloc(0),
    () => Buffer.concat([Buffer.from([0x6a]), anyBytes(random)]),
    () => Buffer.concat([Buffer.from([0x6a, 0x16]), ours]),
    () => Buffer.concat([Buffer.from([0x00, 0x14]), bytes(random, 20)]),
    () => Buffer.concat([Buffer.from([0x00, 0x20]), bytes(random, 32)]),
    () => Buffer.concat([Buffer.from([0x51, 0x20]), bytes(random, 32)]),
    // As the first output of Litecoin's transaction that ends a block with MWEB, and of one that sends coins into it.
    () => Buffer.concat([Buffer.from([0x58, 0x20]), bytes(random, 32)]),
    () => Buffer.concat([Buffer.from([0x59, 0x20]), bytes(random, 32)]),
    () => ours.subarray(0, -1),
    () => Buffer.concat([ours, Buffer.from([0])]),
    () => Buffer.concat([Buffer.from([0x51]), ours.subarray(1)]),
    () => Buffer.concat([Buffer.from([0x76, 0xa9, 0x14]), ours.subarray(2), Buffer.from([0x88, 0xac])]),
    () => bytes(random, 10_000),
    () => anyBytes(random),
  ])();
}

/** Of a foreign output it may be anything that 8 bytes hold. */
export const strangeUnits = (random: Random): bigint =>
  random.pick([0n, 1n, 546n, 21n * 10n ** 14n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 64n - 1n]);

/** @param form MWEB: Litecoin's transaction that ends a block, after which the data of MWEB follow */
export function strangeTransaction(
  random: Random,
  outputs: readonly StrangeOutput[],
  form: 'OLD' | 'WITNESS' | 'MWEB' = random.pick(['OLD', 'WITNESS']),
): FakeTransaction {
  const version = uint32(random.pick([0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff]));
  const inputs = list(random, 4, () =>
    Buffer.concat([
      bytes(random, 32),
      uint32(random.pick(UINT32)),
      sized(anyBytes(random)),
      uint32(random.pick(UINT32)),
    ]),
  );
  const lists = Buffer.concat([
    listed(inputs),
    listed(outputs.map(({ script, units }) => Buffer.concat([uint64(units), sized(script)]))),
  ]);
  const lockTime = uint32(random.pick(UINT32));
  const old = Buffer.concat([version, lists, lockTime]);
  const witnesses = inputs.map(() => {
    const items = random.below(3) === 0 ? [] : list(random, 5, () => sized(anyBytes(random)));
    return listed(items);
  });
  const whole = {
    OLD: () => [old],
    WITNESS: () => [version, Buffer.from([0, 1]), lists, ...witnesses, lockTime],
    MWEB: () => [version, Buffer.from([0, 8]), lists, Buffer.from([0]), lockTime, Buffer.from([1]), anyBytes(random)],
  }[form]();
  return { id: doubleHash(old), hex: Buffer.concat(whole).toString('hex') };
}

/** As the memory pool of a node shows outputs: with MWEB some have neither a script nor a value. */
export const strangePooled = (random: Random, ours: Buffer): unknown[] =>
  list(random, 6, () => undefined).map((_, n) =>
    random.below(4) === 0
      ? { ismweb: true, output_id: bytes(random, 32).toString('hex') }
      : {
          n,
          value: random.pick([0, 1e-8, 5.46e-6, 0.1, 20_999_999.9769]),
          scriptPubKey: {
            hex: strangeScript(random, ours).toString('hex'),
            asm: '"value": 1e99, "amount": x',
            type: 'nonstandard',
          },
        },
  );

export const strangeInputs = (random: Random): unknown[] =>
  list(random, 4, () =>
    random.below(4) === 0
      ? { ismweb: true, output_id: bytes(random, 32).toString('hex') }
      : { txid: bytes(random, 32).toString('hex'), vout: random.pick(UINT32), sequence: random.pick(UINT32) },
  );

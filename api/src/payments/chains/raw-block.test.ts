import { describe, expect, it } from 'vitest';
import { serializeBlock, serializeTransaction } from '../../../test/chains/fake-utxo.ts';
import { readBlock } from './raw-block.ts';

/** Block 0 of Bitcoin. */
const genesis =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa' +
  '4b1e5e4a29ab5f49ffff001d1dac2b7c0101000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d01' +
  '04455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f72' +
  '2062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504' +
  'e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000';
const genesisHash = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
const script = `0014${'ab'.repeat(20)}`;

/** @param count of transactions beside the coinbase */
function build(count: number) {
  const coinbase = serializeTransaction('coinbase', [], true);
  const transactions = Array.from({ length: count }, (_, index) =>
    serializeTransaction(`transaction ${index}`, [{ script, value: 1 }]),
  );
  const header = { height: 1, previousHash: genesisHash, time: 1_700_000_000 };
  return { header, all: [coinbase, ...transactions], block: serializeBlock(header, [coinbase, ...transactions]) };
}

describe('a serialized block', () => {
  it('is read if it is real', () => {
    expect(readBlock(genesis, genesisHash)).toMatchObject({
      previousHash: '00'.repeat(32),
      time: new Date('2009-01-03T18:15:05Z'),
      transactions: [
        {
          id: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
          isCoinbase: true,
          witnessOutputs: [],
        },
      ],
    });
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('is read with %i transactions that pay', (count) => {
    const { block } = build(count);
    const outputs = readBlock(block.hex, block.hash)!.transactions.flatMap(({ witnessOutputs }) => witnessOutputs);
    expect(outputs).toEqual(Array.from({ length: count }, () => ({ output: 0, script, units: 100_000_000n })));
  });

  it('is refused if any of its bytes but those of witnesses is another one', () => {
    const { hash, hex } = build(1).block;
    const isRefused = (at: number) => {
      const changed = (Number.parseInt(hex.slice(at, at + 2), 16) ^ 1).toString(16).padStart(2, '0');
      return readBlock(hex.slice(0, at) + changed + hex.slice(at + 2), hash) === undefined;
    };
    const accepted = Array.from({ length: hex.length / 2 }, (_, index) => index * 2).filter((at) => !isRefused(at));
    // The 32 bytes before the lock time, of two transactions.
    expect(accepted).toHaveLength(64);
    expect(accepted.at(-1)).toBe(hex.length - 10);
  });

  it('is refused if it is cut anywhere', () => {
    const { hash, hex } = build(2).block;
    for (let length = 0; length < hex.length; length += 2)
      expect(readBlock(hex.slice(0, length), hash)).toBeUndefined();
  });

  it.each([
    ['leaves out', (count: number) => Array.from({ length: count - 1 }, (_, index) => index)],
    ['repeats', (count: number) => [...Array.from({ length: count }, (_, index) => index), count - 2, count - 1]],
    [
      'reorders',
      (count: number) => Array.from({ length: count }, (_, index) => (index === 1 ? 2 : index === 2 ? 1 : index)),
    ],
  ])('is refused if it %s transactions', (_name, choose) => {
    const { header, all, block } = build(5);
    const other = serializeBlock(
      header,
      choose(6).map((index) => all[index]!),
    );
    // Repeated ones have the same root.
    expect(readBlock(block.hex.slice(0, 160) + other.hex.slice(160), block.hash)).toBeUndefined();
  });
});

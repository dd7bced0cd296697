/** What the parsers of Bitcoin and Litecoin make of recorded blocks. */
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readBlock } from '../../src/payments/chains/raw-block.ts';
import { createUtxoNode } from '../../src/payments/chains/utxo-node.ts';
import { startFakeNode } from '../chains/test-node.ts';
import { readRecorded } from './recorded.ts';

const signal = new AbortController().signal;

function hashOf(block: Buffer): string {
  const once = hash('sha256', block.subarray(0, 80), 'buffer');
  return Buffer.from(hash('sha256', once, 'buffer').toReversed()).toString('hex');
}

test.each([
  ['1', '00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048', 1, 0],
  ['300025', undefined, 461, 0],
  ['426884', undefined, 409, 0],
  ['482683', undefined, 12, 0],
  ['928828', undefined, 201, 0],
  ['898352', undefined, 10, 0],
  ['1087400', undefined, 97, 0],
])('block %s of Bitcoin or its test network proves itself', (height, id, transactions, outputs) => {
  const bytes = readRecorded(`bitcoin/block-${height}.raw`);
  const blockHash = hashOf(bytes);
  const block = readBlock(bytes.toString('hex'), blockHash)!;
  const found = block.transactions.flatMap(({ witnessOutputs }) => witnessOutputs);
  expect([blockHash, block.transactions.length, found.length]).toEqual([id ?? blockHash, transactions, outputs]);
  expect(blockHash).toMatch(/^0{7}/);
  bytes[bytes.length - 1]! ^= 1;
  bytes[100]! ^= 1;
  expect(readBlock(bytes.toString('hex'), blockHash)).toBeUndefined();
});

interface PrintedBlock {
  hash: string;
  height: number;
  tx: { txid: string; vout: { ismweb: boolean; n: number; scriptPubKey: { hex: string } }[] }[];
}

test.each(['2383206', '2383207', '2383209'])(
  'block %s of Litecoin, which ends with MWEB, proves itself, and says the same as its JSON',
  async (height) => {
    const text = readRecorded(`litecoin/block-${height}.json`).toString();
    const printed = JSON.parse(text) as PrintedBlock;
    const block = readBlock(readRecorded(`litecoin/block-${height}.raw`).toString('hex'), printed.hash)!;
    expect(block.transactions.map(({ id }) => id)).toEqual(printed.tx.map(({ txid }) => txid));
    expect(block.transactions.map(({ endsMweb }) => endsMweb).indexOf(true)).toBe(printed.tx.length - 1);
    const node = await startFakeNode({});
    const { pooledTransaction } = createUtxoNode(node.url);
    for (const [index, text] of transactionsOf(
      printed,
      readRecorded(`litecoin/block-${height}.json`).toString(),
    ).entries()) {
      node.respond = (_, response) => void response.end(`{"result":${text},"error":null,"id":1}`);
      const { vout } = await pooledTransaction(printed.tx[index]!.txid, signal);
      const witness = vout.filter((output) => output?.scriptPubKey.hex.match(/^0014.{40}$/));
      expect(witness.map((output) => [output!.n, output!.scriptPubKey.hex, output!.value])).toEqual(
        block.transactions[index]!.witnessOutputs.map(({ output, script, units }) => [output, script, units]),
      );
    }
  },
);

/** The texts as they were recorded: amounts must not become floats. */
function transactionsOf({ tx }: PrintedBlock, text: string): string[] {
  const starts = tx.map(({ txid }) => text.lastIndexOf('{', text.indexOf(`"txid": "${txid}"`)));
  const end = text.lastIndexOf(']', text.lastIndexOf('"time"'));
  return starts.map((start, index) => text.slice(start, starts[index + 1] ?? end).replace(/,\s*$/, ''));
}

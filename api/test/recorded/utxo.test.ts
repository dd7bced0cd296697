/** What the parsers of Bitcoin and Litecoin make of recorded blocks. */
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readBlock } from '../../src/payments/chains/raw-block.ts';
import { createUtxoNode } from '../../src/payments/chains/utxo-node.ts';
import { startFakeNode } from '../chains/test-node.ts';
import { readRecorded, readRecordedJson } from './recorded.ts';

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

test('answers of nodes of Bitcoin are understood, and the refusal of a provider', async () => {
  const fake = await startFakeNode({});
  const node = createUtxoNode(fake.url);
  const calls: Record<string, () => Promise<unknown>> = {
    getblockhash: () => node.hashAt(1000, signal),
    getblockheader: () => node.header('', signal),
    getrawmempool: () => node.pooledIds(signal),
    getbestblockhash: () => node.bestHash(signal),
    getblockchaininfo: () => node.info(signal),
    scantxoutset: () => node.unspent([], signal),
  };
  const found = [];
  for (const { method, status, text } of readRecordedJson('bitcoin/rpc.json') as Answer[]) {
    fake.respond = (_, response) => void response.writeHead(status).end(text);
    found.push(await calls[method]!().catch((error: unknown) => error));
  }
  const best = '0000000000000000023a561e1ea370153aac5d1504726d1a039032831c05fcfc';
  expect(found).toEqual([
    '00000000c937983704a73af28acdec37b049d214adbda81d7e2a3dd146f6ed09',
    expect.objectContaining({ height: 677_119, time: new Date(1_617_180_599_000) }),
    expect.objectContaining({ length: 3 }),
    best,
    { bestblockhash: best, blocks: 684_634, headers: 684_634, initialblockdownload: false },
    { success: true, height: 1_514_263, unspents: [] },
    expect.objectContaining({ reason: 'INVALID_RESPONSE' }),
  ]);
});

interface Answer {
  method: string;
  status: number;
  text: string;
}

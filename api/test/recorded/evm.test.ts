/** What the parsers of Ethereum and BSC make of recorded answers of geth and Erigon. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, test } from 'vitest';
import { createEvmNode } from '../../src/payments/chains/evm-node.ts';
import { readProvenBalance } from '../../src/payments/chains/evm-proof.ts';
import { SourceRefusal } from '../../src/payments/chains/refusals.ts';
import { startFakeNode } from '../chains/test-node.ts';
import { readRecordedJson } from './recorded.ts';

const signal = new AbortController().signal;

interface Exchange {
  name: string;
  request: { method: string; params: unknown[] };
  response: { result?: unknown; error?: { message: string } };
}

interface Proof {
  balance: string;
  address: string;
  accountProof: string[];
}

/** Answers and refusals of each method. */
const ofGeth = {
  eth_call: [4, 2],
  eth_chainId: [1, 0],
  eth_getBalance: [4, 0],
  eth_getBlockByNumber: [10, 0],
  eth_getLogs: [6, 3],
  eth_getProof: [4, 0],
  eth_getTransactionReceipt: [6, 0],
};
const ofErigon = {
  eth_call: [20, 12],
  eth_chainId: [1, 0],
  eth_getBalance: [22, 2],
  eth_getBlockByNumber: [12, 0],
  eth_getLogs: [12, 0],
  eth_getProof: [6, 0],
  eth_getTransactionReceipt: [10, 0],
};

test.each([
  ['geth', 'evm/execution-apis.json', ofGeth],
  ['Erigon on the main network', 'evm/erigon.json', ofErigon],
])('all answers of %s are understood', async (_, file, expected) => {
  const fake = await startFakeNode({});
  const node = createEvmNode(fake.url);
  const calls: Record<string, (params: never[]) => Promise<unknown>> = {
    eth_chainId: () => node.chainId(signal),
    eth_getBlockByNumber: ([, isFull]) => (isFull ? node.block(1, signal) : node.header(1, signal)),
    eth_getTransactionReceipt: () => node.receipt('0x', signal),
    eth_getLogs: () => node.logs({ contract: '0x', fromHeight: 1, toHeight: 2 }, signal),
    eth_getBalance: () => node.balance('0x', 1, signal),
    eth_call: () => node.callContract('0x', '0x', 1, signal),
    eth_getProof: async () =>
      (await node.accountProof('0x', 1, signal)) ?? Promise.reject(new SourceRefusal('', 0, '')),
  };
  const unknown: string[] = [];
  const counts: Record<string, [answers: number, refusals: number]> = {};
  for (const { name, request, response } of readRecordedJson(file) as Exchange[]) {
    fake.respond = (_request, reply) => void reply.end(JSON.stringify(response));
    const count = (counts[request.method] ??= [0, 0]);
    const answer = await calls[request.method]!(request.params as never[]).catch((error: unknown) => error);
    const isUnderstood = response.error ? answer instanceof SourceRefusal : !(answer instanceof Error);
    if (!isUnderstood) unknown.push(`${name}: ${String(answer)}`);
    count[response.error ? 1 : 0] += 1;
    if (request.method === 'eth_getProof') expectProven(response.result as Proof);
  }
  expect(unknown).toEqual([]);
  expect(counts).toEqual(expected);
});

/** The first node of a proof has the root of the states as its hash. */
function expectProven({ accountProof, address, balance }: Proof): void {
  const root = Buffer.from(keccak_256(Buffer.from(accountProof[0]!.slice(2), 'hex'))).toString('hex');
  expect(readProvenBalance(`0x${root}`, address.toLowerCase(), accountProof)).toBe(BigInt(balance));
  expect(readProvenBalance(`0x${'0'.repeat(64)}`, address.toLowerCase(), accountProof)).toBeUndefined();
}

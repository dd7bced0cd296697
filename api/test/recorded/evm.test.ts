/** What the parsers of Ethereum and BSC make of recorded answers of geth, Erigon and a provider. */
import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, test } from 'vitest';
import { parseTransfer } from '../../src/payments/chains/evm-logs.ts';
import { createEvmNode, logSchema } from '../../src/payments/chains/evm-node.ts';
import { describeEvmHoldings } from '../../src/payments/chains/evm-holdings.ts';
import { readProvenBalance } from '../../src/payments/chains/evm-proof.ts';
import { MULTICALL_ADDRESS } from '../../src/payments/chains/multicall.ts';
import { SourceRefusal } from '../../src/payments/chains/refusals.ts';
import { createEvmSweepSource } from '../../src/payments/sweep/evm-sweep-source.ts';
import { Refusal } from '../chains/fake-node.ts';
import { startFakeNode } from '../chains/test-node.ts';
import { readRecordedJson } from './recorded.ts';

const signal = new AbortController().signal;

interface Exchange {
  name: string;
  request: { method: string; params: unknown[] };
  response: { result?: unknown; error?: { code: number; message: string } };
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

const ofGetBlock = {
  eth_call: [1, 0],
  eth_chainId: [1, 0],
  eth_getBalance: [1, 0],
  eth_getBlockByNumber: [1, 0],
  eth_getLogs: [1, 0],
  eth_getTransactionReceipt: [1, 0],
};

test.each([
  ['geth', 'evm/execution-apis.json', ofGeth],
  ['Erigon on the main network', 'evm/erigon.json', ofErigon],
  ['GetBlock on BSC', 'evm/providers.json', ofGetBlock],
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
    if (!calls[request.method]) continue;
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

const ofProviders = (method: string) =>
  (readRecordedJson('evm/providers.json') as Exchange[]).filter(({ request }) => request.method === method);

const resultOf = (method: string) => ofProviders(method)[0]!.response.result;

test('logs of BSC name who sent the tokens', () => {
  const logs = logSchema.array().parse(resultOf('eth_getLogs'));
  const sent = logs.flatMap((log) => parseTransfer(log, log.address, new Set([`0x${log.topics[2]!.slice(-40)}`])));
  expect(sent.slice(0, 2)).toMatchObject([
    { sender: '0xc39978a25a9c52c8cc12c0d90e03cd6ab0c8a620', recipient: '0x8e744ec2795c8b836689d1b4ebe1489204357dac' },
    { sender: '0x6a02aeddb994cbb1d63d5fbe49a46205f192cf2f', recipient: '0x58f876857a02d6762e0101bb5c46a8c1ed44dc16' },
  ]);
});

/** Of Multicall3, for one address: a list of one result, whose word is 1. */
const ONE_BALANCE = `0x${[32, 1, 32, 1, 64, 32, 1].map((word) => word.toString(16).padStart(64, '0')).join('')}`;

test('fees and nonces for sweeps are read from what GetBlock, geth and Erigon have answered', async () => {
  const contract = `0x${'11'.repeat(20)}`;
  const held = [{ account: '', index: 0n, address: `0x${'22'.repeat(20)}` }] as never;
  for (const { response } of ofProviders('eth_getTransactionCount')) {
    const { url } = await startFakeNode({
      eth_gasPrice: () => resultOf('eth_gasPrice'),
      eth_maxPriorityFeePerGas: () => resultOf('eth_maxPriorityFeePerGas'),
      eth_getTransactionCount: () => response.result,
      eth_call: ({ to }: { to: string }) => (to === MULTICALL_ADDRESS ? ONE_BALANCE : '0x'),
    });
    const reading = { contract, signal, nodes: [createEvmNode(url)] } as never;
    expect(await describeEvmHoldings({ chain: 'bsc', usdtContract: contract }, reading, 1, held)).toMatchObject({
      fee: { maxFeePerGas: '6000000000', maxPriorityFeePerGas: '3000000000' },
      addresses: [{ nonce: Number(response.result) }],
    });
  }
});

test('a sent transaction is taken or refused, as geth, Erigon and GetBlock say', async () => {
  const results = [];
  for (const { response } of ofProviders('eth_sendRawTransaction')) {
    const { url } = await startFakeNode({
      eth_chainId: () => '0x38',
      eth_sendRawTransaction: () => {
        if (response.error) throw new Refusal(response.error.code, response.error.message);
        return response.result;
      },
    });
    results.push(await createEvmSweepSource('bsc', url).post({ raw: '0x' } as never, signal));
  }
  expect(results).toEqual([
    { refusal: expect.stringContaining('nonce too low') },
    { refusal: expect.stringContaining('could not decode RLP components') },
    'TAKEN',
  ]);
});

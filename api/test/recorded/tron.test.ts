/** What the parsers of TRON make of recorded blocks of the main network. */
import { expect, test } from 'vitest';
import { parseTransfer } from '../../src/payments/chains/evm-logs.ts';
import { blockSchema, headerSchema } from '../../src/payments/chains/tron/answers.ts';
import { headerBytes, merkleRoot, provesTransactions, sha256 } from '../../src/payments/chains/tron/block-proof.ts';
import { isProven } from '../../src/payments/chains/tron/bodies.ts';
import { readBytes, readFields } from '../../src/payments/chains/tron/protobuf.ts';
import { readContract, readTokenCall } from '../../src/payments/chains/tron/transaction.ts';
import { createTronNode } from '../../src/payments/chains/tron/tron-node.ts';
import { createTronSweepSource } from '../../src/payments/sweep/tron-sweep-source.ts';
import { startFakeNode } from '../chains/test-node.ts';
import { printTronHeader, printTronTransaction, readRecorded, readRecordedJson, readTronBlock } from './recorded.ts';

const fromHex = (text: string) => Buffer.from(text.replace(/^0x/, ''), 'hex');
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const rawDataOf = (transaction: string) => readBytes(readFields(fromHex(transaction)), 1);

test('100 headers have the hashes that are their ids, and name their parents', () => {
  const recorded = readRecordedJson('tron/headers-78000000.json') as { id: string; raw: string }[];
  const headers = recorded.map(({ id, raw }) => headerSchema.parse(printTronHeader(id, fromHex(raw))));
  for (const [index, { raw, parentId, height }] of headers.entries()) {
    expect(toHex(headerBytes(raw))).toBe(recorded[index]!.raw);
    expect(height).toBe(headers[0]!.height + index);
    expect(parentId).toBe(headers[index - 1]?.id ?? headers[0]!.parentId);
  }
  expect(headers).toHaveLength(100);
});

test('a block of 619 transactions has the root of its bytes, and JSON hides a field of one of them', () => {
  const { id, rawHeader, transactions } = readTronBlock(readRecorded('tron/block-79072107.bin'));
  const printed = { ...printTronHeader(id, rawHeader), transactions: transactions.map(printTronTransaction) };
  const block = blockSchema.parse(printed);
  expect(block.height).toBe(79_072_107);
  expect(transactions).toHaveLength(619);
  expect(toHex(merkleRoot(transactions.map(sha256)))).toBe(block.raw.txTrieRoot);
  expect(isProven(block)).toBe(false);
  const hiding = block.transactions.flatMap((one, index) =>
    provesTransactions(toHex(sha256(transactions[index]!)), [one]) ? [] : [index],
  );
  expect(hiding).toEqual([187]);
  const fields = readFields(readBytes(readFields(transactions[187]!), 5));
  expect(fields.find(({ number }) => number === 1002)?.bytes).toHaveLength(12);
  expect(block.transactions.filter(({ signature }) => signature.some((one) => one.length === 136)).length).toBe(5);
});

test('446 leaves have the root of their header, and one is the hash of its transaction', () => {
  const { leaves, headerTxTrieRoot, encodedTx, txId, txLeaf, targetIndex } = readRecordedJson(
    'tron/leaves-78812179.json',
  ) as {
    leaves: string[];
    headerTxTrieRoot: string;
    encodedTx: string;
    txId: string;
    txLeaf: string;
    targetIndex: number;
  };
  expect(leaves).toHaveLength(446);
  expect(toHex(merkleRoot(leaves.map(fromHex)))).toBe(headerTxTrieRoot.slice(2));
  expect(leaves[targetIndex]).toBe(txLeaf);
  expect(provesTransactions(txLeaf.slice(2), blockSchemaTransactions([encodedTx]))).toBe(true);
  expect(toHex(sha256(rawDataOf(encodedTx)))).toBe(txId.slice(2));
});

const blockSchemaTransactions = (encoded: readonly string[]) =>
  encoded.map((one) => {
    const { ret, ...rest } = printTronTransaction(fromHex(one));
    return { ...rest, ret: ret.map(({ contractRet = 'DEFAULT' }) => ({ contractRet, fee: 0n, ret: '' })) };
  });

test('55 calls of USDT carry the recipient and the amount that were recorded beside them', () => {
  const calls = readRecordedJson('tron/transfers-78115149.json') as Record<
    'encodedTx' | 'toTron' | 'amount' | 'txLeaf' | 'tronTokenEvm',
    string
  >[];
  expect(calls).toHaveLength(55);
  for (const { encodedTx, toTron, amount, txLeaf, tronTokenEvm } of calls) {
    expect(toHex(sha256(fromHex(encodedTx)))).toBe(txLeaf.slice(2));
    const action = readContract(rawDataOf(encodedTx));
    expect(action).toMatchObject({ kind: 'CALL', contract: `41${tronTokenEvm.slice(2)}` });
    const call = action?.kind === 'CALL' ? readTokenCall(action.data) : undefined;
    expect(call).toEqual({ to: toTron.slice(2), units: BigInt(amount) });
  }
});

test('transactions of three types have their ids and leaves', () => {
  const recorded = readRecordedJson('tron/transactions.json') as Record<'encodedTx' | 'txId' | 'txLeaf', string>[];
  const kinds = recorded.map(({ encodedTx, txId, txLeaf }) => {
    expect(toHex(sha256(rawDataOf(encodedTx)))).toBe(txId.slice(2));
    expect(provesTransactions(txLeaf.slice(2), blockSchemaTransactions([encodedTx]))).toBe(true);
    return readContract(rawDataOf(encodedTx))?.kind;
  });
  expect(kinds).toEqual([undefined, 'TRANSFER', 'CALL']);
});

const signal = new AbortController().signal;
const httpAnswers = readRecordedJson('tron/http.json') as { id: string; status: number; body: unknown }[];

/** A source that answers everything with what was recorded. */
async function openRecorded(id: string): Promise<string> {
  const { status, body } = httpAnswers.find((one) => one.id === id)!;
  const fake = await startFakeNode({});
  fake.respond = (_, response) => void response.writeHead(status).end(JSON.stringify(body));
  return fake.url;
}

const call = { contract: `41${'00'.repeat(20)}`, signature: 'balanceOf(address)', parameter: '' };
const filter = { contract: '0x', fromHeight: 1, toHeight: 2 };
const TRANSFER = { log: [{ data: expect.stringMatching(/1fb6e57f$/) }] };

test.each<[string, (node: ReturnType<typeof createTronNode>) => Promise<unknown>, unknown]>([
  ['block', (node) => node.bodies(30_864_542, 30_864_542, signal), [{ height: 30_864_542, transactions: [{}] }]],
  ['header', (node) => node.solidHead(signal), { height: 53_868_065 }],
  ['account', (node) => node.solidBalance('', signal), 2_928_601_454n],
  ['call', (node) => node.callSolid(call, signal), expect.stringMatching(/0821218a$/)],
  ['call-nile', (node) => node.callSolid(call, signal), expect.stringMatching(/40cfcc00$/)],
  ['info', (node) => node.solidInfo('', signal), TRANSFER],
  ['info-trx', (node) => node.solidInfo('', signal), { blockNumber: 75_772_270, log: [] }],
  ['infos', (node) => node.solidInfosOf(1, signal), [{ log: [] }, TRANSFER]],
  ['resources', (node) => node.resources('', signal), { energy: 10, bandwidth: 600 }],
  ['parameters', (node) => node.prices(signal), { energyPrice: 420, energyFactor: 12_000 }],
  ['receipt', (node) => node.receipt('', signal), { logs: [{ logIndex: 30 }] }],
  ['logs-none', (node) => node.logs(filter, signal), []],
  ['chain', (node) => node.chainId(signal), 728_126_428],
])('%s: what java-tron has answered over HTTP is understood', async (id, ask, expected) => {
  const found = await ask(createTronNode(await openRecorded(id), {}));
  expect({ found }).toMatchObject({ found: expected });
});

test('the log of a receipt of the main network names the sender of its transaction', async () => {
  const receipt = await createTronNode(await openRecorded('receipt'), {}).receipt('', signal);
  const [log] = receipt!.logs;
  const { result } = httpAnswers.find(({ id }) => id === 'receipt')!.body as { result: { from: string } };
  const recipient = `0x${log!.topics[2]!.slice(-40)}`;
  expect(parseTransfer(log!, log!.address, new Set([recipient]))).toMatchObject([{ sender: result.from, recipient }]);
});

test('a provider that does not serve a method is no account without a balance, whatever its status', async () => {
  const node = createTronNode(await openRecorded('account-refused'), {});
  await expect(node.solidBalance('', signal)).rejects.toMatchObject({ name: 'SourceRefusal', code: 405 });
  const fake = await startFakeNode({});
  fake.respond = (_, response) => void response.end('{"result":null,"status_code":405,"message":"Method not allowed"}');
  await expect(createTronNode(fake.url, {}).solidBalance('', signal)).rejects.toMatchObject({
    reason: 'INVALID_RESPONSE',
  });
  const resources = createTronNode(await openRecorded('resources-refused'), {}).resources('', signal);
  await expect(resources).rejects.toMatchObject({ name: 'SourceRefusal', code: 405 });
});

test('a node that cannot run a call says nothing about the contract', async () => {
  const node = createTronNode(await openRecorded('call-failed'), {});
  await expect(node.callSolid(call, signal)).rejects.toThrow('failed with the code OTHER_ERROR');
});

test('a sent transaction is taken, or refused with its reason', async () => {
  const results = [];
  for (const id of ['sent', 'sent-refused', 'sent-disallowed']) {
    const source = createTronSweepSource(await openRecorded(id));
    results.push(await source.post({ raw: '', contract: '', to: '' } as never, signal));
  }
  expect(results).toEqual([
    'TAKEN',
    { refusal: 'CONTRACT_VALIDATE_ERROR Contract validate error : Cannot transfer TRX to yourself.' },
    { refusal: expect.stringContaining('null') },
  ]);
});

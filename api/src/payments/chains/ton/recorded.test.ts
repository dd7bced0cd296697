/** Answers of real software, as public sources have recorded them (fixtures/README.md), read by the parsers of both versions. */
import { Address } from '@ton/core';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { serveLocally } from '../../../../test/chains/local-server.ts';
import { findPayment } from './acceptance.ts';
import { USDT } from './jetton.ts';
import { createSource } from './toncenter.ts';
import { identify, type TonTransaction } from './transaction.ts';

interface Recorded {
  id: string;
  path: string;
  status: number;
  body: object;
}

interface Printed {
  account: string;
  hash: string;
  in_msg: { message_content: { hash: string } };
}

const signal = new AbortController().signal;
const file = new URL('fixtures/answers.json.gz', import.meta.url);
const recorded = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Recorded[];
const named = (id: string): Recorded => recorded.find((one) => one.id === id)!;
const toHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');
const MASTER = `0:${'22'.repeat(32)}`;
const OWNER = `0:${'11'.repeat(32)}`;

/** A source that answers each path with what was recorded last of those given. */
async function openSource(version: 'v2' | 'v3', ...ids: readonly (string | Recorded)[]) {
  const answers = new Map(
    ids.map((id) => (typeof id === 'string' ? named(id) : id)).map((one) => [`/api/${version}${one.path}`, one]),
  );
  const calls: string[] = [];
  const { url, close } = await serveLocally((request, response) => {
    calls.push(request.url!);
    const { pathname } = new URL(request.url!, 'http://source');
    const { status, body } = answers.get(pathname) ?? { status: 404, body: {} };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  onTestFinished(close);
  return { calls, source: createSource(`${url}/api/${version}`, { requestsPerSecond: 1000 }) };
}

const transactionsOf = (id: string) => (named(id).body as { transactions: Printed[] }).transactions;

/** @param changes of each transaction */
async function readIndex(id: string, changes: object = {}): Promise<TonTransaction[]> {
  const found: TonTransaction[] = [];
  for (const printed of transactionsOf(id)) {
    const body = { transactions: [{ ...printed, ...changes }] };
    const { source } = await openSource('v3', { ...named(id), body });
    found.push((await source.index!.byHash(toHex(printed.hash), signal))!);
  }
  return found;
}

it.each(['v3-2024-05', 'v3-2024-07', 'v3-2024-07-31', 'v3-2026'])('reads the transactions of %s', async (id) => {
  const found = await readIndex(id);
  const printed = transactionsOf(id);
  expect(found.map(({ account, hash }) => [account.toUpperCase(), hash])).toEqual(
    printed.map(({ account, hash }) => [account, toHex(hash)]),
  );
  // The index says what the hash of each body is.
  expect(found.map(({ incoming }) => incoming!.body.hash().toString('hex'))).toEqual(
    printed.map(({ in_msg }) => toHex(in_msg.message_content.hash)),
  );
});

it('reads a payment to an address without a contract the same of all releases', async () => {
  const [may] = (await readIndex('v3-2024-05')).slice(1);
  const [july] = await readIndex('v3-2026');
  for (const { incoming, isAborted, exitCode, isReturned } of [may!, july!]) {
    expect([incoming!.value, incoming!.isBounced, isAborted, exitCode, isReturned]).toEqual([
      1_000_000_000n,
      false,
      true,
      undefined,
      false,
    ]);
  }
});

it('names the sender of a recorded payment as wallets write it', async () => {
  const [payment] = await readIndex('v3-2026');
  const owners = new Map([[payment!.account, 'ours']]);
  const accounts = { owners, wallets: new Map(), jetton: USDT, fundingAccounts: new Set<string>() };
  const sender = Address.parse(payment!.incoming!.source!).toString({ bounceable: false });
  expect(findPayment(accounts, payment!)).toEqual({ asset: 'TON', address: 'ours', sender, units: 1_000_000_000n });
});

/** As the source of each tag prints it: 3 instead of 2 for what is final, and no such field before. */
it.each([
  ['1.2.5', undefined],
  ['1.2.6', 'unknown_3'],
  ['1.2.7', 'unknown_3'],
  ['1.2.8', 'unknown_3'],
])('reads what an index of tag %s says of a final transaction', async (_, finality) => {
  const found = await readIndex('v3-2026', { finality });
  expect(found.map(identify)).toEqual((await readIndex('v3-2026')).map(identify));
});

it('reads a head, and a wallet of a token whose cell has the type of a number', async () => {
  const { source } = await openSource('v3', 'v3-head', 'v3-method');
  expect(await source.head(signal)).toMatchObject({
    seqno: 21_082_664,
    globalId: -3,
    time: new Date(1_721_068_768_000),
    startLt: 23_694_519_000_000n,
  });
  expect(await source.walletOf(MASTER, OWNER, signal)).toBe(
    '0:3d340b150eac0392f5f428abffdf3c33bed68468a7f7f607c4a13d8013ef56b1',
  );
});

it('knows no wallet where there is no contract, and no transaction where the list is empty', async () => {
  const { source } = await openSource('v3', 'v3-method-failed', 'v3-empty');
  expect(await source.walletOf(MASTER, OWNER, signal)).toBeUndefined();
  expect(await source.index!.byHash('00'.repeat(32), signal)).toBeUndefined();
});

it('refuses what an index refuses', async () => {
  const { source } = await openSource('v3', 'v3-error');
  await expect(source.index!.byHash('00'.repeat(32), signal)).rejects.toMatchObject({
    name: 'SourceRefusal',
    message: expect.stringContaining('failed to decode'),
  });
});

it.each(['v2-2022', 'v2-2023', 'v2-cpp-1', 'v2-cpp-2', 'lite-1', 'lite-2'])(
  'proves the whole transaction of %s by its hash',
  async (id) => {
    const { result } = named(id).body as { result: [{ transaction_id: { lt: string; hash: string } }] };
    const { lt, hash } = result[0].transaction_id;
    const { source, calls } = await openSource('v2', id);
    const found = await source.transaction({ account: OWNER, lt: BigInt(lt), hash: toHex(hash) }, signal);
    expect([found!.hash, found!.lt]).toEqual([toHex(hash), BigInt(lt)]);
    expect(identify(found!)).toContain(toHex(hash));
    expect(calls.some((call) => call.includes('archival'))).toBe(false);
  },
);

async function readWhole(id: string) {
  const { result } = named(id).body as { result: [{ transaction_id: { lt: string; hash: string } }] };
  const { lt, hash } = result[0].transaction_id;
  const { source } = await openSource('v2', id);
  return (await source.transaction({ account: OWNER, lt: BigInt(lt), hash: toHex(hash) }, signal))!.incoming!;
}

it('reads an incoming payment and a message that came back from whole transactions', async () => {
  expect(await readWhole('v2-cpp-2')).toMatchObject({ value: 1_610_998_000n, isBounced: false });
  expect(await readWhole('lite-1')).toMatchObject({ isBounced: true });
});

it.each(['v2-missing-1', 'v2-missing-2', 'v2-missing-3', 'v2-missing-4'])('%s says: not here', async (id) => {
  const { source, calls } = await openSource('v2', id);
  expect(await source.transaction({ account: OWNER, lt: 1n, hash: '00'.repeat(32) }, signal)).toBeUndefined();
  expect(calls.filter((call) => call.includes('archival=true'))).toHaveLength(1);
});

it('a node in C++ without any server that works is no source that denies', async () => {
  const { source } = await openSource('v2', 'v2-cpp-no-server');
  const read = source.transaction({ account: OWNER, lt: 1n, hash: '00'.repeat(32) }, signal);
  await expect(read).rejects.toMatchObject({ name: 'SourceRefusal', code: 542 });
});

it.each([
  ['v2-info-2024', 38_093_956],
  ['v2-info-2025', 45_792_554],
])('reads the newest block of %s', async (id, seqno) => {
  const { source } = await openSource('v2', id, 'v2-header');
  // The header is of another block.
  await expect(source.head(signal)).rejects.toMatchObject({ message: expect.stringContaining(String(seqno)) });
});

it('reads a header, states and the result of a method of version 2', async () => {
  const { source } = await openSource('v2', 'v2-header', 'v2-method');
  expect(await source.block(30_497_145, signal)).toMatchObject({
    seqno: 30_497_145,
    globalId: -239,
    startLt: 38_636_875_000_000n,
  });
  expect(await source.walletOf(MASTER, OWNER, signal)).toMatch(/^0:[0-9a-f]{64}$/);
  const stateOf = async (id: string) => (await (await openSource('v2', id)).source.states([OWNER], signal)).get(OWNER);
  expect(await stateOf('v2-account-2024')).toMatchObject({
    status: 'UNINITIALIZED',
    last: { lt: 46_748_895_000_001n },
  });
  expect(await stateOf('v2-account-active')).toMatchObject({ status: 'ACTIVE', balance: 1_000_000_995_239_999n });
  expect(await stateOf('v2-account-unknown')).toMatchObject({ balance: 0n, last: undefined });
});

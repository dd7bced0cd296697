import { connect, disconnect } from '@cellhop/contract/connections';
import { getReceipt, getReceiptKey, receiptSchema, type Receipt } from '@cellhop/contract/receipts';
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkReceipt } from '../../../../tools/receipt-checker/check.mjs';
import type { Actor } from '../../http/actor.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import type { Ctx } from '../../ctx.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { streamReceipt } from './receipts.service.ts';
import { receiptKey } from './receipt-signing.ts';
import { scaled } from '../../../../tools/test-scale.ts';

const MB = 1_048_576;

/** More than one chunk of a thousand. */
const CHARGES = scaled(1_500, 100_000);

let testApp: TestApp;
let publicKey: string;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
  publicKey = (await testApp.call(getReceiptKey, {})).data.publicKey;
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const buy = async (user: TestUser) =>
  (await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } })).data;
const receiptOf = async (user: TestUser, id: string) => (await user.call(getReceipt, { params: { id } })).data;
const rich = () => createUser(testApp, { balanceMicros: 10_000_000n });

/** A connection that started megabytes 51 to 54 in two reports. */
async function used() {
  const user = await rich();
  const connection = await buy(user);
  const run = createGatewayRun(testApp);
  await run.authorize(connection);
  await run.report(connection.id, 50 * MB, 10 * MB, { uploadedBytes: 20 * MB });
  const first = await receiptOf(user, connection.id);
  await run.report(connection.id, 50 * MB + 1, 10 * MB, { uploadedBytes: 20 * MB });
  await run.report(connection.id, 53 * MB + 5, 10 * MB, { uploadedBytes: 21 * MB });
  return { user, connection, first, receipt: await receiptOf(user, connection.id) };
}

/** A connection with a refund of 48 of its 50 megabytes. */
async function refunded() {
  const user = await rich();
  const connection = await buy(user);
  const run = createGatewayRun(testApp);
  await run.authorize(connection);
  await run.report(connection.id, MB + 1, 0, { uploadedBytes: 7 });
  await run.end(connection.id, MB + 1, 7);
  await user.call(disconnect, { params: { id: connection.id } });
  return receiptOf(user, connection.id);
}

describe('a receipt', () => {
  test('lists each charge with its megabytes, price and totals', async () => {
    const { connection, receipt } = await used();
    expect(receipt).toMatchObject({
      version: 1,
      connectionId: connection.id,
      ip: connection.ip,
      price: 0.8,
      status: 'WORK',
      endReason: null,
      createdAt: connection.createdAt,
      disconnectAt: null,
      uploadedBytes: 21 * MB,
      downloadedBytes: 32 * MB + 5,
      total: 0.432,
    });
    const facts = receipt.charges.map(({ number, kind, firstMegabyte, lastMegabyte, uploadedBytes, amount }) => [
      number,
      kind,
      firstMegabyte,
      lastMegabyte,
      uploadedBytes,
      amount,
    ]);
    expect(facts).toEqual([
      [1, 'PREPAID_50_MB', 1, 50, 0, 0.4],
      [2, 'MEGABYTE', 51, 51, 20 * MB, 0.008],
      [3, 'MEGABYTE', 52, 54, 21 * MB, 0.024],
    ]);
    expect(receiptSchema.parse(receipt)).toEqual(receipt);
    expect(await checkReceipt(receipt, { publicKey })).toBeUndefined();
  });

  test('shows the refund and how the connection ended', async () => {
    const receipt = await refunded();
    expect(receipt).toMatchObject({ status: 'DISCONNECT_USER', endReason: 'USER', total: 0.016, uploadedBytes: 7 });
    expect(receipt.charges[1]).toMatchObject({
      kind: 'REFUND',
      firstMegabyte: 3,
      lastMegabyte: 50,
      amount: -0.384,
      downloadedBytes: MB + 1 - 7,
    });
    expect(await checkReceipt(receipt, { publicKey })).toBeUndefined();
  });

  test('is a snapshot: charges made while it is read belong to the next one', async () => {
    const user = await rich();
    const connection = await buy(user);
    const run = createGatewayRun(testApp);
    await run.authorize(connection);
    await run.report(connection.id, 50 * MB, 10 * MB);
    await run.report(connection.id, 51 * MB, 10 * MB);
    let text = '';
    for await (const chunk of await streamReceipt(testApp.ctx, { userId: user.id } as Actor, connection.id)) {
      if (text === '') await run.report(connection.id, 53 * MB, 10 * MB);
      text += chunk;
    }
    const { data: receipt } = JSON.parse(text) as { data: Receipt };
    expect(receipt).toMatchObject({ total: 0.408, downloadedBytes: 51 * MB });
    expect(receipt.charges).toHaveLength(2);
    expect(await checkReceipt(receipt, { publicKey })).toBeUndefined();
    const later = await receiptOf(user, connection.id);
    expect(later.charges).toHaveLength(3);
    expect(await checkReceipt(later, { publicKey, earlier: receipt })).toBeUndefined();
  });

  test("is visible to the connection's owner only", async () => {
    const { connection } = await used();
    const stranger = await rich();
    for (const id of [connection.id, randomUUID()])
      await expect(receiptOf(stranger, id)).rejects.toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
        message: 'Connection not found',
      });
    await expect(testApp.call(getReceipt, { params: { id: connection.id } })).rejects.toMatchObject({ status: 401 });
    await expect(receiptOf(stranger, 'x')).rejects.toMatchObject({ status: 400 });
  });

  test(`of a connection with ${CHARGES} charges is complete and valid`, { tags: ['long'] }, async () => {
    const user = await rich();
    const { id } = await buy(user);
    // Inserted directly, because reporting each through a gateway would take too long.
    await testApp.database.query(
      `with recursive connection as (
         select connections.*, charge_hash as first_hash from connections where id = $1
       ), chain as (
         select 1 as number, first_hash as hash from connection
         union all
         select number + 1, charge_hash(hash, $1, number + 1, charge_time(now()), 'MEGABYTE', number + 50, number + 50, 0,
                                        (number + 49) * 1048576::bigint + 1, 8000, 8000)
           from chain where number < $2::int
       ), posted as (
         insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to,
                                uploaded_bytes, downloaded_bytes, charge_hash)
         select 1, escrow_account_id, 8000, 'MEGABYTE', number + 48, number + 49, 0,
                (number + 48) * 1048576::bigint + 1, hash
           from connection, chain where number > 1 order by number
       ), moved as (
         update accounts set balance_micros = balance_micros - ($2::int - 1) * 8000::bigint where id = 1
       ), run as (
         insert into gateway_runs (id, node_id) select gen_random_uuid(), id from gateway_nodes returning id
       ), counted as (
         insert into connection_runs (connection_id, run_id, used_bytes, granted_bytes)
         select $1, id, ($2::int + 48) * 1048576::bigint + 1, ($2::int + 49) * 1048576::bigint from run
       )
       update connections
          set used_bytes = ($2::int + 48) * 1048576::bigint + 1, granted_bytes = ($2::int + 49) * 1048576::bigint,
              charged_megabytes = $2::int + 49, escrow_micros = escrow_micros + ($2::int - 1) * 8000::bigint, charge_count = $2::int,
              charge_hash = (select hash from chain where number = $2::int)
        where id = $1`,
      [id, CHARGES],
    );
    const receipt = await receiptOf(user, id);
    expect(receipt.charges).toHaveLength(CHARGES);
    expect(Math.round(receipt.total * 1000)).toBe(8 * (CHARGES + 49));
    expect(await checkReceipt(receipt, { publicKey })).toBeUndefined();

    const reads: number[] = [];
    const counting: Ctx = {
      ...testApp.ctx,
      db: {
        query: async <Row>(...query: Parameters<Ctx['db']['query']>) => {
          const rows = await testApp.database.query<Row>(...query);
          reads.push(rows.length);
          return rows;
        },
      },
    };
    let longestChunk = 0;
    const actor = { userId: user.id } as Actor;
    for await (const chunk of await streamReceipt(counting, actor, id))
      longestChunk = Math.max(longestChunk, chunk.length);
    // At most a thousand charges are in memory, regardless of its length.
    expect(Math.max(...reads)).toBe(1000);
    expect(longestChunk).toBeLessThan(500_000);
  });
});

describe('the key', () => {
  test('is derived from the secret of the installation and differs between secrets', () => {
    const [one, same, other] = ['a'.repeat(40), 'a'.repeat(40), 'b'.repeat(40)].map((key) => receiptKey([key]));
    expect(same!.publicKey).toEqual(one!.publicKey);
    expect(other!.id).not.toBe(one!.id);
    expect(one!.id).toMatch(/^[0-9a-f]{16}$/);
  });
});

/** A different but plausible value for a field. */
function otherValue(value: unknown): unknown {
  if (value === null) return '2026-01-01T00:00:00.000Z';
  if (typeof value === 'number') return value + 1;
  const text = value as string;
  const others: Record<string, string> = { MEGABYTE: 'REFUND', REFUND: 'MEGABYTE', WORK: 'NO_MONEY' };
  if (others[text]) return others[text];
  // A different digit in times and hashes, a different letter elsewhere.
  const last = /[0-9a-zA-Z](?=[^0-9a-zA-Z]*$)/;
  return text.replace(last, (letter) => (letter === '1' ? '2' : '1'));
}

/** The charges of a receipt, rehashed for another connection; an independent implementation of docs/receipts.md. */
function rewrite(connectionId: string, receipt: Receipt): Receipt {
  let previous = '0'.repeat(64);
  const charges = receipt.charges.map((charge) => {
    const { number, chargedAt, kind, firstMegabyte, lastMegabyte, uploadedBytes, downloadedBytes } = charge;
    const money = [charge.megabytePrice, charge.amount].map((dollars) => Math.round(dollars * 1e6));
    const megabytes = [firstMegabyte, lastMegabyte];
    const counted = [uploadedBytes, downloadedBytes];
    const lines = [
      'cellhop-charge-1',
      previous,
      connectionId,
      number,
      chargedAt,
      kind,
      ...megabytes,
      ...counted,
      ...money,
    ];
    previous = createHash('sha256').update(lines.join('\n')).digest('hex');
    return { ...charge, hash: previous };
  });
  return { ...receipt, connectionId, charges };
}

async function changeOf(receipt: unknown, change: string) {
  return { change, problem: await checkReceipt(receipt, { publicKey }) };
}

describe('the checker', () => {
  let good: Receipt[];
  beforeAll(async () => {
    good = [(await used()).receipt, await refunded()];
  });

  test('detects a change of any single field', async () => {
    for (const receipt of good) {
      for (const field of Object.keys(receipt) as (keyof Receipt)[]) {
        if (field === 'charges') continue;
        const changed = { ...receipt, [field]: otherValue(receipt[field]) };
        expect({ field, problem: await checkReceipt(changed, { publicKey }) }).toEqual({
          field,
          problem: expect.any(String),
        });
        expect(await checkReceipt({ ...receipt, [field]: undefined }, { publicKey })).toBe(
          `the receipt has no valid ${field}`,
        );
      }
      for (const [index, charge] of receipt.charges.entries())
        for (const field of Object.keys(charge) as (keyof typeof charge)[]) {
          const changed = { ...charge, [field]: otherValue(charge[field]) };
          const problem = await checkReceipt(
            { ...receipt, charges: receipt.charges.with(index, changed) },
            { publicKey },
          );
          expect({ index, field, problem }).toEqual({ index, field, problem: expect.any(String) });
        }
      expect(await checkReceipt({ ...receipt, paid: true }, { publicKey })).toBe(
        'the receipt has an unknown field paid',
      );
    }
  });

  test('detects a missing, repeated or moved charge', async () => {
    for (const receipt of good)
      for (const [index, charge] of receipt.charges.entries()) {
        const variants = {
          removed: receipt.charges.toSpliced(index, 1),
          repeated: receipt.charges.toSpliced(index, 0, charge),
          swapped: receipt.charges.toSpliced(index, 1).toSpliced(index === 0 ? 1 : index - 1, 0, charge),
        };
        for (const [name, charges] of Object.entries(variants)) {
          expect(await changeOf({ ...receipt, charges }, name)).toMatchObject({ problem: expect.any(String) });
          const renumbered = charges.map((each, position) => ({ ...each, number: position + 1 }));
          expect(await changeOf({ ...receipt, charges: renumbered }, name)).toMatchObject({
            problem: expect.any(String),
          });
        }
      }
  });

  test('detects a wrong key and a wrong signature', async () => {
    const stranger = receiptKey(['another secret of another shop']).publicKey.toString('base64');
    expect(await checkReceipt(good[0], { publicKey: stranger })).toContain('was signed with the key');
    expect(await checkReceipt(good[0], { publicKey: 'AAAA' })).toBe('the public key is not 32 bytes in base64');
    expect(await checkReceipt({ ...good[0], signature: good[1]!.signature }, { publicKey })).toBe(
      'the signature does not fit the receipt',
    );
  });

  test('compares with an earlier receipt, whose charges must be the first ones of the later receipt', async () => {
    const { first, receipt } = await used();
    expect(await checkReceipt(receipt, { publicKey, earlier: first })).toBeUndefined();
    expect(await checkReceipt(first, { publicKey, earlier: receipt })).toBe(
      'the earlier receipt has more charges than the later one',
    );
    expect(await checkReceipt(receipt, { publicKey, earlier: good[0] })).toBe(
      'the earlier receipt is of another connection',
    );
    expect(await checkReceipt(receipt, { publicKey, earlier: { ...first, total: 1 } })).toContain(
      'the earlier receipt is not',
    );
    // A rewritten history is a valid chain; only the earlier receipt reveals it.
    const { receipt: other } = await used();
    const rewritten = rewrite(receipt.connectionId, other);
    expect(await checkReceipt(rewritten)).toBeUndefined();
    expect(await checkReceipt(rewritten, { earlier: receipt })).toBe('charge 1 is another one in the earlier receipt');
  });
});

describe('the command', () => {
  let directory: string;
  const command = fileURLToPath(new URL('../../../../tools/receipt-checker/cellhop-receipt.mjs', import.meta.url));
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'receipt-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function run(files: Record<string, unknown>, ...parameters: string[]) {
    for (const [name, content] of Object.entries(files))
      await writeFile(path.join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
    return new Promise<{ code: number; output: string }>((resolve) => {
      execFile(process.execPath, [command, ...parameters], { cwd: directory }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
      );
    });
  }

  test('prints its result in one line and exits with 0, 1 or 2', async () => {
    const { first, receipt } = await used();
    const files = { 'receipt.json': { data: receipt }, 'first.json': first, 'key.txt': `${publicKey}\n` };
    expect(await run(files, 'receipt.json', '--key', 'key.txt', '--earlier', 'first.json')).toEqual({
      code: 0,
      output: 'GOOD: 3 charges, $0.432 in all; the signature fits\n',
    });
    expect((await run(files, 'receipt.json')).output).toContain('the signature was not checked');
    expect(await run({ 'bad.json': { ...receipt, total: 0.1 } }, 'bad.json')).toEqual({
      code: 1,
      output: 'NOT GOOD: the charges sum to 0.432, the receipt says 0.1\n',
    });
    for (const parameters of [[], ['missing.json'], ['receipt.json', '--key'], ['a', 'b'], ['key.txt']])
      expect(await run(files, ...parameters)).toMatchObject({ code: 2 });
  });
});

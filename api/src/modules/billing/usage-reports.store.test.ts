import { connect } from '@cellhop/contract/connections';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { readBalance } from '../ledger/ledger.service.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { saveMeters, type MeterChange } from './usage-reports.store.ts';

const MB = 1_048_576n;
/** The price of a megabyte, at $0.80 for 100 MB. */
const PRICE = 8000n;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(() => testApp.stop());

/** An open connection that cost 40 cents, and the payer's remaining balance. */
async function open(leftMicros: bigint) {
  const user = await createUser(testApp, { balanceMicros: 400_000n + leftMicros });
  const { data: connection } = await user.call(connect, { body: { id: await createProxy(testApp), price: 0.8 } });
  const run = createGatewayRun(testApp);
  await run.authorize(connection);
  const charge = (from: bigint, to: bigint, changes: Partial<MeterChange> = {}) => {
    const sums = { usedBytes: to * MB, uploadedBytes: 0n, grantedBytes: to * MB };
    const meter = { ...sums, chargedMegabytes: to, megabytePriceMicros: PRICE, capMegabytes: null };
    const { connectionId, payerAccountId } = { connectionId: connection.id, payerAccountId: user.accountId };
    const change = {
      connectionId,
      payerAccountId,
      meter,
      run: { ...sums, isOpen: true, isLost: false },
      charge: { from, to },
    };
    return testApp.ctx.tx((ctx) => saveMeters(ctx, run.runId, [{ ...change, holdChangeMicros: 0n, ...changes }]));
  };
  const money = async () => {
    const [row] = await testApp.database.query<{ escrow_micros: bigint; charge_count: number }>(
      'select escrow_micros, charge_count from connections where id = $1',
      [connection.id],
    );
    const { balanceMicros, heldMicros } = await readBalance(testApp.ctx, user.accountId);
    return { balanceMicros, heldMicros, escrowMicros: row!.escrow_micros, charges: row!.charge_count };
  };
  return { charge, money };
}

test('moves the price of the megabytes to the escrow account and releases their hold', async () => {
  const { charge, money } = await open(100_000n);
  const before = { balanceMicros: 100_000n, heldMicros: 0n, escrowMicros: 400_000n, charges: 1 };
  await charge(50n, 50n, { holdChangeMicros: 2n * PRICE });
  expect(await money()).toEqual({ ...before, heldMicros: 16_000n });
  await charge(50n, 52n, { holdChangeMicros: -2n * PRICE });
  expect(await money()).toEqual({ balanceMicros: 84_000n, heldMicros: 0n, escrowMicros: 416_000n, charges: 2 });
});

test.each([
  ['what the payer does not have', 50n, 52n, 'customer_not_negative'],
  ['a megabyte that was charged before', 0n, 1n, 'transfers_megabyte'],
])('refuses %s and moves no money', async (_, from, to, constraint) => {
  const { charge, money } = await open(PRICE);
  const before = await money();
  await expect(charge(from, to)).rejects.toMatchObject({ constraint });
  expect(await money()).toEqual(before);
});

test.each<[string, Partial<MeterChange>]>([
  ['connection', { connectionId: randomUUID() }],
  ['payer', { payerAccountId: 999_999_999n, holdChangeMicros: 1n, charge: { from: 50n, to: 50n } }],
])('refuses a %s that does not exist', async (_, change) => {
  const { charge, money } = await open(PRICE);
  const before = await money();
  await expect(charge(50n, 51n, change)).rejects.toThrow('a report refers to rows that do not exist');
  expect(await money()).toEqual(before);
});

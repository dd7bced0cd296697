/**
 * Runs the tables of docs/billing.md about connections against the real code.
 * @module-tag thorough
 */
import {
  connect,
  disconnect,
  disconnectWithoutRefund,
  listConnections,
  type Connection,
  type EndReason,
} from '@cellhop/contract/connections';
import { PREPAID_MEGABYTES, PRICED_MEGABYTES } from '@cellhop/contract/limits';
import { megabytePrice, megabytesToBytes, prepaidPrice, toDollars, toMicros } from '@cellhop/contract/units';
import { afterAll, beforeAll, expect } from 'vitest';
import { balanceOf, createProxy, createUser, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { buy, end, MB, PREPAID, PRICE, use } from '../../../test/billed-connections.ts';
import { createReplaceable } from '../../../test/replaced-connections.ts';
import { cell, checkBilling, count, money, traffic, type Checks } from '../../../test/billing-tables.ts';
import { toBytesFromCell, type MarkdownRow } from '../../../test/markdown-tables.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { finalBill, chargeReport, type Meter, type Run } from './charging.ts';
import { isRefundable } from './end-reasons.ts';
import { endIdleConnections } from './end-idle-connections.service.ts';

const MEGABYTE_PRICE = megabytePrice(PRICE);
const SECOND_MS = 1000;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
  await registerNode(testApp.ctx);
});
afterAll(async () => {
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

/** The check for the rows of each table, by section and first column. */
const checks: Checks = {
  'Units: What': checkUnit,
  'Units: Price': checkPrice,
  'Purchase: Balance': checkPurchase,
  'Traffic: Used': checkTraffic,
  'Traffic: Reports, as they arrive': checkReports,
  'Holds: Free money': checkGrant,
  'Caps: Cap': checkCap,
  'When the money runs out: Balance after the purchase': checkNoMoney,
  'When the money runs out: Connections': checkSharedMoney,
  'Refunds: Used when it ended': checkRefund,
  'Refunds: Why it ended': checkWindow,
  'How a connection ends: Why': checkEnd,
  'How a connection ends: Traffic': checkIdle,
  'How a connection ends: Traffic, by minute': checkTrickle,
  'Replacements: Used': checkReplacement,
  'Fair use: Unused returns in the last hour': checkUnusedReturn,
  'Faults: Its late report': checkLateReport,
};

checkBilling('connections', checks);

async function checkUnit(row: MarkdownRow): Promise<void> {
  const what = cell(row, 'What');
  const shown = Number(cell(row, 'How much').replaceAll(',', '').split(' ')[0]);
  const facts: Record<string, number> = {
    'one dollar': Number(toMicros(1)),
    'one MB of billing, both directions together': MB,
    'megabytes that the price is for': PRICED_MEGABYTES,
    'megabytes that a purchase pays': PREPAID_MEGABYTES,
  };
  if (what !== 'prices are multiples of') return expect(shown).toBe(facts[what]);
  await createProxy(testApp, { priceMicros: BigInt(shown) });
  for (const wrong of [shown - 1, shown + 1, shown * 1.5])
    await expect(createProxy(testApp, { priceMicros: BigInt(wrong) })).rejects.toMatchObject({
      constraint: 'price_micros_check',
    });
}

function checkPrice(row: MarkdownRow): void {
  const price = money(row, 'Price');
  expect(prepaidPrice(price)).toBe(money(row, 'First 50 MB'));
  expect(megabytePrice(price)).toBe(money(row, 'Each further megabyte'));
}

async function checkPurchase(row: MarkdownRow): Promise<void> {
  const user = await createUser(testApp, { balanceMicros: money(row, 'Balance') });
  const id = await createProxy(testApp, { priceMicros: PRICE });
  const price = toDollars(money(row, 'Price that the buyer saw'));
  const answer = await user.call(connect, { body: { id, price } }).then(
    () => 'bought',
    (error: { code: string }) => error.code,
  );
  expect(answer).toBe(cell(row, 'Answer'));
  expect(await balanceOf(testApp, user)).toBe(money(row, 'Balance after'));
  const [connection] = await listOf(user);
  expect(toMicros(connection?.paidFor ?? 0)).toBe(money(row, 'Paid for'));
}

async function checkTraffic(row: MarkdownRow): Promise<void> {
  const { user, connection, run } = await open();
  await use(run, connection, traffic(row, 'Used'));
  const paidFor = await paidForOf(user);
  expect(paidFor).toBe(money(row, 'Paid for'));
  expect(paidFor / MEGABYTE_PRICE).toBe(count(row, 'Megabytes paid'));
}

async function checkReports(row: MarkdownRow): Promise<void> {
  const { user, connection, run } = await open();
  await run.report(connection.id, 50 * MB, 20 * MB);
  for (const report of cell(row, 'Reports, as they arrive').split(', '))
    await run.report(connection.id, Number(toBytesFromCell(report)));
  expect(await paidForOf(user)).toBe(money(row, 'Paid for'));
}

function checkGrant(row: MarkdownRow): void {
  const bytes = megabytesToBytes(50n);
  const counted = { usedBytes: bytes, uploadedBytes: 0n };
  const meter: Meter = {
    ...counted,
    grantedBytes: bytes,
    chargedMegabytes: 50n,
    megabytePriceMicros: MEGABYTE_PRICE,
    capMegabytes: null,
  };
  const run: Run = { ...counted, grantedBytes: bytes, isOpen: true, isLost: false };
  const report = { ...counted, wantedBytes: traffic(row, 'Wanted ahead') };
  const result = chargeReport(meter, run, report, money(row, 'Free money'));
  expect(result.run.grantedBytes - bytes).toBe(traffic(row, 'Granted ahead'));
  expect(result.holdChangeMicros).toBe(money(row, 'On hold'));
  expect(result.state).toBe(cell(row, 'Answer'));
}

async function checkNoMoney(row: MarkdownRow): Promise<void> {
  const { user, connection, run } = await open(money(row, 'Balance after the purchase'));
  expect(await drain(run, [connection])).toBe(traffic(row, 'Used when it ends'));
  const [ended] = await listOf(user);
  expect(ended).toMatchObject({ status: 'NO_MONEY', endReason: 'NO_MONEY', refundStatus: 'NONE' });
  expect(toMicros(ended!.paidFor)).toBe(money(row, 'Paid for'));
  expect(await balanceOf(testApp, user)).toBe(money(row, 'Balance left'));
}

async function checkSharedMoney(row: MarkdownRow): Promise<void> {
  const connectionCount = count(row, 'Connections');
  const balanceMicros = connectionCount * PREPAID + money(row, 'Balance after the purchases');
  const user = await createUser(testApp, { balanceMicros });
  const run = createGatewayRun(testApp);
  const connections: Connection[] = [];
  for (let bought = 0n; bought < connectionCount; bought++) connections.push(await buy(testApp, user));
  for (const connection of connections) await run.authorize(connection);
  expect(await drain(run, connections)).toBe(traffic(row, 'Used together'));
  expect(await balanceOf(testApp, user)).toBe(money(row, 'Balance left'));
}

async function checkRefund(row: MarkdownRow): Promise<void> {
  const { user, connection, run } = await open();
  const usedBytes = traffic(row, 'Used when it ended');
  await use(run, connection, usedBytes);
  await end(testApp, user, connection, run, 'USER', usedBytes);
  const [ended] = await listOf(user);
  expect(toMicros(ended!.paidFor)).toBe(count(row, 'Megabytes charged') * MEGABYTE_PRICE);
  expect(ended!.refundStatus).toBe(cell(row, 'Refund status'));
  expect(await refundOf(connection)).toBe(money(row, 'Back'));
}

function checkCap(row: MarkdownRow): void {
  const usedBytes = traffic(row, 'Used');
  const counted = { usedBytes, uploadedBytes: 0n };
  const capMegabytes = traffic(row, 'Cap') / BigInt(MB);
  const meter: Meter = {
    ...counted,
    grantedBytes: usedBytes,
    chargedMegabytes: 50n,
    megabytePriceMicros: MEGABYTE_PRICE,
    capMegabytes,
  };
  const run: Run = { ...counted, grantedBytes: usedBytes, isOpen: true, isLost: false };
  const report = { ...counted, wantedBytes: traffic(row, 'Wanted ahead') };
  const result = chargeReport(meter, run, report, money(row, 'Free money'));
  expect(result.run.grantedBytes - usedBytes).toBe(traffic(row, 'Granted ahead'));
  expect(result.holdChangeMicros).toBe(money(row, 'On hold'));
  expect(result.state).toBe(cell(row, 'Answer'));
  expect(result.finalReason === 'CAP' ? 'yes' : 'no').toBe(cell(row, 'Because of the cap'));
}

function checkWindow(row: MarkdownRow): void {
  const ageMs = Number(cell(row, 'Age').replace(/ s$/, '')) * SECOND_MS;
  const meter: Meter = {
    usedBytes: 0n,
    uploadedBytes: 0n,
    grantedBytes: 0n,
    chargedMegabytes: 50n,
    megabytePriceMicros: MEGABYTE_PRICE,
    capMegabytes: null,
  };
  const isPartBack = isRefundable(cell(row, 'Why it ended') as EndReason, ageMs, testApp.ctx.config.refundWindowMs);
  expect(finalBill(meter, isPartBack).refundMicros).toBe(money(row, 'Back'));
}

async function checkEnd(row: MarkdownRow): Promise<void> {
  const { user, connection, run } = await open();
  const usedBytes = traffic(row, 'Used');
  const reason = cell(row, 'Why') as EndReason;
  await use(run, connection, reason === 'CAP' ? usedBytes - 1n : usedBytes);
  await age(connection, cell(row, 'Age'));
  await end(testApp, user, connection, run, reason, usedBytes);
  const [ended] = await listOf(user);
  expect(ended).toMatchObject({
    status: cell(row, 'Status'),
    endReason: reason,
    refundStatus: cell(row, 'Refund status'),
    paidFor: toDollars(money(row, 'Paid for')),
  });
  expect(await refundOf(connection)).toBe(money(row, 'Back'));
}

async function checkUnusedReturn(row: MarkdownRow): Promise<void> {
  const { user, connection, run } = await open();
  for (let returned = 0n; returned < count(row, 'Unused returns in the last hour'); returned++)
    await user.call(disconnect, { params: { id: (await buy(testApp, user)).id } });
  const usedBytes = Number(traffic(row, 'Used'));
  await use(run, connection, BigInt(usedBytes));
  await run.end(connection.id, usedBytes);
  await age(connection, cell(row, 'Age'));
  const endpoint = cell(row, 'Request') === 'disconnect' ? disconnect : disconnectWithoutRefund;
  const answer = await user.call(endpoint, { params: { id: connection.id } }).then(
    () => 'ended',
    (error: { code: string }) => error.code,
  );
  expect(answer).toBe(cell(row, 'Answer'));
  expect(await refundOf(connection)).toBe(money(row, 'Back'));
}

async function checkReplacement(row: MarkdownRow): Promise<void> {
  const balanceMicros = PREPAID + money(row, 'Balance after the purchase');
  const { user, connection, run, addSpare, fail, replace } = await createReplaceable(testApp, balanceMicros);
  await addSpare();
  await run.authorize(connection);
  await use(run, connection, traffic(row, 'Used'));
  await run.end(connection.id, Number(traffic(row, 'Used')));
  await age(connection, '2 hours');
  await fail();
  const answer = await replace().then(
    () => 'replaced',
    (error: { code: string }) => error.code,
  );
  expect(answer).toBe(cell(row, 'Answer'));
  expect(await refundOf(connection)).toBe(money(row, 'Back'));
  expect(await balanceOf(testApp, user)).toBe(money(row, 'Balance after'));
}

async function checkIdle(row: MarkdownRow): Promise<void> {
  const { user, connection, run } = await open();
  await age(connection, cell(row, 'Time without more'));
  const usedBytes = Number(traffic(row, 'Traffic'));
  await run.report(connection.id, usedBytes);
  await endIdleConnections(testApp.ctx);
  await run.end(connection.id, usedBytes);
  const [after] = await listOf(user);
  expect(after!.status === 'WORK' ? 'goes on' : 'ends').toBe(cell(row, 'It'));
}

async function checkTrickle(row: MarkdownRow): Promise<void> {
  const { user, connection, run } = await open();
  const arrivals = new Map<number, bigint>();
  for (const part of cell(row, 'Traffic, by minute').split('; ')) {
    const [, first, last, bytes] = /^(\d+)(?: to (\d+))?: (.+)$/.exec(part)!;
    for (let minute = Number(first); minute <= Number(last ?? first); minute++)
      arrivals.set(minute, toBytesFromCell(bytes!));
  }
  let usedBytes = 0n;
  for (let minute = 0; minute <= Number(cell(row, 'Minute')); minute++) {
    if (minute > 0) await age(connection, '1 minute');
    usedBytes += arrivals.get(minute) ?? 0n;
    if (arrivals.has(minute)) await run.report(connection.id, Number(usedBytes));
  }
  await endIdleConnections(testApp.ctx);
  await run.end(connection.id, Number(usedBytes));
  const [after] = await listOf(user);
  expect(after!.status === 'WORK' ? 'goes on' : 'ends').toBe(cell(row, 'It'));
}

function checkLateReport(row: MarkdownRow): void {
  const usedBytes = megabytesToBytes(50n);
  const counted = { usedBytes, uploadedBytes: 0n };
  // Its unused grant was released.
  const meter: Meter = {
    ...counted,
    grantedBytes: usedBytes,
    chargedMegabytes: 50n,
    megabytePriceMicros: MEGABYTE_PRICE,
    capMegabytes: null,
  };
  const run: Run = { ...counted, grantedBytes: megabytesToBytes(60n), isOpen: false, isLost: true };
  const report = { usedBytes: traffic(row, 'Its late report'), uploadedBytes: 0n, wantedBytes: 0n };
  const { charge, writtenOffBytes, ...result } = chargeReport(meter, run, report, money(row, 'Free money'));
  expect((charge.to - charge.from) * MEGABYTE_PRICE).toBe(money(row, 'Charged'));
  expect(writtenOffBytes).toBe(traffic(row, 'Written off'));
  expect(result.state).toBe(cell(row, 'Answer'));
}

/** A connection of a new user with this balance after the purchase, open in a gateway run. */
async function open(balanceMicros = 100_000_000n) {
  const user = await createUser(testApp, { balanceMicros: PREPAID + balanceMicros });
  const connection = await buy(testApp, user);
  const run = createGatewayRun(testApp);
  await run.authorize(connection);
  return { user, connection, run };
}

/** Lets connections use all their grants concurrently until each has ended. @returns the total bytes */
async function drain(run: ReturnType<typeof createGatewayRun>, connections: readonly Connection[]): Promise<bigint> {
  const used = new Map(connections.map(({ id }) => [id, 50 * MB]));
  let live = [...used.keys()];
  while (live.length > 0) {
    const credits = await Promise.all(live.map((id) => run.report(id, used.get(id)!, 3 * MB)));
    const open = credits.filter(({ state }) => state !== 'ended');
    for (const { connectionId, grantedBytes } of open) used.set(connectionId, grantedBytes);
    live = open.map(({ connectionId }) => connectionId);
  }
  return [...used.values()].reduce((sum, bytes) => sum + BigInt(bytes), 0n);
}

/** Backdates a purchase, because the database's clock measures the windows. */
async function age({ id }: Connection, interval: string): Promise<void> {
  await testApp.database.query(
    `update connections set created_at = created_at - $2::interval,
                            idle_marks = array(select (at - $2::interval, used_bytes)::traffic_mark from unnest(idle_marks))
      where id = $1`,
    [id, interval],
  );
}

const listOf = async (user: TestUser) => (await user.call(listConnections, { query: {} })).data;
const paidForOf = async (user: TestUser) => toMicros((await listOf(user))[0]!.paidFor);

async function refundOf({ id }: Connection): Promise<bigint> {
  const [row] = await testApp.database.query<{ micros: bigint }>(
    `select coalesce(sum(amount_micros), 0)::bigint as micros
       from transfers where idempotency_key = 'connection:' || $1 || ':refund'`,
    [id],
  );
  return row!.micros;
}

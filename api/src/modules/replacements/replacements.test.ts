import { checkConnection } from '@cellhop/contract/connection-checks';
import { changeConnection, connect, disconnect } from '@cellhop/contract/connections';
import { listCharges } from '@cellhop/contract/receipts';
import { replaceConnection } from '@cellhop/contract/replacements';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkFailed, checkOk } from '../../../test/checking-node.ts';
import { balanceOf, createUser } from '../../../test/factories.ts';
import { createReplaceable, letAge, MB } from '../../../test/replaced-connections.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkInvariants } from '../../db/check-invariants.ts';

const PREPAID = 400_000n;
const MEGABYTE = 8_000n;

let testApp: TestApp;
beforeAll(async () => {
  // An end waits some seconds for the last report, which a busy machine may deliver later.
  vi.useFakeTimers({ toFake: ['performance'] });
  testApp = await startTestApp();
});
afterAll(async () => {
  vi.useRealTimers();
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  await testApp.stop();
});

const create = (balanceMicros?: bigint) => createReplaceable(testApp, balanceMicros);

describe('a replacement', () => {
  test('ends the connection with a refund of what is unused, whatever its age, and buys the next free one', async () => {
    const { user, connection, run, serve, addSpare, fail, beginReplacement, show } = await create();
    const spare = await addSpare();
    await run.authorize(connection);
    await run.report(connection.id, 2 * MB);
    await serve();
    await letAge(testApp, connection.id, 180);
    await fail();
    const { replaced } = await beginReplacement();
    await run.end(connection.id, 2 * MB + 1);
    const { isReplaced, refund, connection: successor, currentBalance } = await replaced;
    expect({ isReplaced, refund, currentBalance }).toEqual({ isReplaced: true, refund: 0.376, currentBalance: 9.576 });
    expect(await show()).toMatchObject({
      status: 'DISCONNECT_USER',
      endReason: 'USER',
      refundStatus: 'REFUNDED',
      paidFor: 0.024,
    });
    expect(successor).toMatchObject({
      status: 'WORK',
      countryCode: connection.countryCode,
      isp: 'Telekom',
      price: 0.8,
    });
    expect(successor.username).not.toBe(connection.username);
    const [row] = await testApp.database.query('select proxy_id from connections where id = $1', [successor.id]);
    expect(row).toEqual({ proxy_id: spare });
    expect(await balanceOf(testApp, user)).toBe(10_000_000n - 3n * MEGABYTE - PREPAID);
    const { data: charges } = await user.call(listCharges, { params: { id: connection.id }, query: {} });
    expect(charges.map(({ kind, amount }) => ({ kind, amount }))).toEqual([
      { kind: 'REFUND', amount: -0.376 },
      { kind: 'PREPAID_50_MB', amount: 0.4 },
    ]);
    // The new connection can be used at once.
    expect(await run.authorize(successor)).toMatchObject({ isAuthorized: true });
  });

  test('is paid from what comes back, if the balance alone does not suffice', async () => {
    const { user, addSpare, fail, replace } = await create(PREPAID);
    await addSpare();
    await fail();
    expect(await replace()).toMatchObject({ isReplaced: true, refund: 0.4, currentBalance: 0 });
    expect(await balanceOf(testApp, user)).toBe(0n);
  });

  test('keeps the label and what is left of the traffic limit', async () => {
    const { user, connection, run, serve, addSpare, fail, beginReplacement } = await create();
    await addSpare();
    await user.call(changeConnection, { params: { id: connection.id }, body: { label: 'Client 7', capMegabytes: 40 } });
    await serve();
    await fail();
    const { replaced } = await beginReplacement();
    await run.end(connection.id, 15 * MB);
    expect((await replaced).connection).toMatchObject({ label: 'Client 7', capMegabytes: 25 });
  });

  test('leaves the time for refunds as it was: it counts from the first purchase', async () => {
    const { user, connection, addSpare, fail, replace } = await create();
    for (let spare = 0; spare < 2; spare += 1) await addSpare();
    await letAge(testApp, connection.id, 29);
    await fail();
    const first = (await replace()).connection;
    expect(Date.parse(first.firstBoughtAt!)).toBe(Date.parse(connection.createdAt) - 29 * 60_000);
    await testApp.database.query(
      `update connections set first_bought_at = first_bought_at - interval '1 minute' where id = $1`,
      [first.id],
    );
    await testApp.database.query(`update connections set created_at = created_at - interval '1 minute' where id = $1`, [
      connection.id,
    ]);
    const { data } = await user.call(disconnect, { params: { id: first.id } });
    expect(data).toMatchObject({ refundStatus: 'NONE', paidFor: 0.4 });
  });

  test('prefers the same type and city, and takes no other country, operator, price or exit', async () => {
    const { exit, addSpare, fail, replace } = await create();
    await fail();
    await addSpare({ countryCode: 'ZZ' });
    await addSpare({ isp: 'Vodafone' });
    await addSpare({ priceMicros: 700_000n });
    await addSpare({ isHealthy: false });
    await addSpare({ exitId: exit.id });
    const failing = await addSpare();
    await testApp.database.query(
      `update exit_checks set reason = 'upstream-timeout' where exit_id = (select exit_id from proxies where id = $1)`,
      [failing],
    );
    await expect(replace()).rejects.toMatchObject({ status: 404, code: 'PROXY_NOT_FOUND' });
    await addSpare({ connectionType: '5G' });
    await addSpare({ city: 'Hamburg' });
    const best = await addSpare();
    const { connection } = await replace();
    const [row] = await testApp.database.query('select proxy_id from connections where id = $1', [connection.id]);
    expect(row).toEqual({ proxy_id: best });
  });
});

describe('a replacement is refused, and changes nothing', () => {
  test('if no free proxy may take the place', async () => {
    const { user, fail, replace, show, notifications } = await create();
    await fail();
    await expect(replace()).rejects.toMatchObject({ code: 'PROXY_NOT_FOUND' });
    expect(await show()).toMatchObject({ status: 'WORK' });
    expect(await balanceOf(testApp, user)).toBe(10_000_000n - PREPAID);
    expect(await notifications()).toEqual([]);
  });

  test('if the balance does not pay for it with what comes back', async () => {
    const { connection, run, addSpare, fail, replace, show } = await create(PREPAID + 7_999n);
    await addSpare();
    await run.authorize(connection);
    await run.report(connection.id, MB + 1);
    await fail();
    await expect(replace()).rejects.toMatchObject({ status: 402, code: 'SMALL_BALANCE' });
    expect(await show()).toMatchObject({ status: 'WORK', trafficUsed: 1024 + 1 / 1024 });
  });

  test('for a connection of somebody else, one that does not exist, and one that has ended', async () => {
    const { user, connection, addSpare, fail, replace } = await create();
    await addSpare();
    await fail();
    const stranger = await createUser(testApp);
    for (const id of [connection.id, randomUUID()])
      await expect(stranger.call(replaceConnection, { params: { id } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await user.call(disconnect, { params: { id: connection.id } });
    await expect(replace()).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });
});

const isReplaceable = async ({ user, connection, addSpare, replace }: Awaited<ReturnType<typeof create>>) => {
  const { data } = await user.call(checkConnection, { params: { id: connection.id } });
  if (data.isReplaceable !== true)
    await expect(replace()).rejects.toMatchObject({ status: 409, code: 'NOT_REPLACEABLE' });
  else {
    await addSpare();
    expect(await replace()).toMatchObject({ isReplaced: true });
  }
  return data.isReplaceable;
};
const promise = (id: string, address: string) =>
  testApp.database.query('update proxies set ip = $2 where id = $1', [id, address]);
/** The next checks are answers to a test of the customer. */
async function createTested() {
  const created = await create();
  await created.user.call(checkConnection, { params: { id: created.connection.id } });
  return created;
}

describe('a connection may be replaced', () => {
  test('if its exit failed the last check', async () => {
    const created = await createTested();
    expect(await isReplaceable(created)).toBe(false);
    await created.node.letTimePass(31);
    await created.fail();
    expect(await isReplaceable(created)).toBe(true);
  });

  test('if the check saw another address than the proxy promises', async () => {
    const created = await createTested();
    const { node, exit } = created;
    await promise(exit.proxyId, '198.51.100.7');
    await node.exchange({ checks: [checkOk(exit.id, { seenAddress: '198.51.100.7' })] });
    expect(await isReplaceable(created)).toBe(false);
    await node.exchange({ checks: [checkOk(exit.id, { seenAddress: '198.51.100.8' })] });
    expect(await isReplaceable(created)).toBe(true);
  });

  test('but not for another address alone, where customers change it', async () => {
    const created = await createTested();
    const { node, exit } = created;
    await promise(exit.proxyId, '198.51.100.17');
    await testApp.database.query(`insert into exit_rotations (exit_id, link_encrypted) values ($1, '')`, [exit.id]);
    await node.exchange({ checks: [checkOk(exit.id, { seenAddress: '198.51.100.18' })] });
    expect(await isReplaceable(created)).toBe(false);
    await created.fail();
    expect(await isReplaceable(created)).toBe(true);
  });

  test('but not while its address is changed, when checks fail', async () => {
    const created = await createTested();
    const { exit, connection } = created;
    await testApp.database.query(`insert into exit_rotations (exit_id, link_encrypted) values ($1, '')`, [exit.id]);
    await testApp.database.query('insert into exit_changes (exit_id, connection_id, taken_at) values ($1, $2, now())', [
      exit.id,
      connection.id,
    ]);
    await created.fail();
    expect(await isReplaceable(created)).toBe(false);
    await testApp.database.query(
      `update exit_changes set finished_at = now(), outcome = 'FAILED' where connection_id = $1`,
      [connection.id],
    );
    expect(await isReplaceable(created)).toBe(true);
  });

  test('but not by a check without a verdict, or one of more than ten minutes ago', async () => {
    const created = await createTested();
    const { node, exit, replace, addSpare } = created;
    await addSpare();
    await node.exchange({ checks: [{ exitId: exit.id, outcome: 'inconclusive', reason: 'echo-unreachable' }] });
    await expect(replace()).rejects.toMatchObject({ code: 'NOT_REPLACEABLE' });
    await node.exchange({ checks: [checkFailed(exit.id)] });
    await node.letTimePass(601);
    await expect(replace()).rejects.toMatchObject({ code: 'NOT_REPLACEABLE' });
    await node.letTimePass(-10);
    expect(await replace()).toMatchObject({ isReplaced: true });
  });
});

test('a proxy that was replaced returns to the catalogue when its exit works', async () => {
  const { node, exit, addSpare, fail, replace } = await create();
  await addSpare();
  await fail();
  await replace();
  await node.exchange({ checks: [checkOk(exit.id)] });
  const other = await createUser(testApp, { balanceMicros: PREPAID });
  expect((await other.call(connect, { body: { id: exit.proxyId, price: 0.8 } })).data.status).toBe('WORK');
});

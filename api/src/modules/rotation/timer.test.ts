/** @module-tag thorough */
import { changeConnection, disconnect } from '@cellhop/contract/connections';
import { renewRotationLink } from '@cellhop/contract/rotation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { createRotatedConnection } from '../../../test/rotated-connections.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { deleteOldChanges } from './rotation.service.ts';
import { rotateByTimer } from './timer.service.ts';

let testApp: TestApp;
let customer: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
});
afterAll(() => testApp.stop());

async function createTimed(rotateEveryMinutes: number | null = 2) {
  const connection = await createRotatedConnection(testApp, customer);
  const { id, exit, find } = connection;
  const set = (minutes: number | null) =>
    customer.call(changeConnection, { params: { id }, body: { rotateEveryMinutes: minutes } });
  await set(rotateEveryMinutes);
  const run = async (minutesLater: number) => {
    await testApp.database.query(
      `update connection_rotations set next_at = next_at - $2 * interval '1 minute' where connection_id = $1`,
      [id, minutesLater],
    );
    await rotateByTimer(testApp.ctx);
  };
  const orders = async () =>
    (await testApp.database.query('select 1 from exit_changes where exit_id = $1', [exit.id])).length;
  const state = async () => (await find()).rotation!.state;
  return { ...connection, set, run, orders, state };
}

describe('the timer of a connection', () => {
  test('orders a change when its time has come, each time once, with any number of workers', async () => {
    const { find, run, orders, state, call, see, pass } = await createTimed();
    expect((await find()).rotation).toMatchObject({ everyMinutes: 2 });
    await run(1);
    expect(await state()).toBe('READY');
    await Promise.all([run(1), rotateByTimer(testApp.ctx)]);
    expect([await state(), await orders()]).toEqual(['ROTATING', 1]);
    await call();
    await see('198.51.100.8');
    await pass(61);
    await run(2);
    expect([await state(), await orders()]).toEqual(['ROTATING', 2]);
  });

  test('waits for its next time where the cooldown refuses a change', async () => {
    const { run, orders, call, see } = await createTimed();
    await run(2);
    await call();
    await see('198.51.100.8');
    await run(2);
    expect(await orders()).toBe(1);
  });

  test('stops when it is removed, and with its connection', async () => {
    const { find, set, run, orders } = await createTimed();
    await set(null);
    expect((await find()).rotation).toMatchObject({ everyMinutes: null });
    await run(10);
    expect(await orders()).toBe(0);
    const ended = await createTimed();
    await customer.call(disconnect, { params: { id: ended.id } });
    await ended.run(2);
    expect(await ended.orders()).toBe(0);
  });

  test('is deleted after the end of its connection by the next clean-up, with the link', async () => {
    const open = await createTimed();
    const ended = await createTimed();
    await customer.call(renewRotationLink, { params: { id: ended.id } });
    await customer.call(disconnect, { params: { id: ended.id } });
    await deleteOldChanges(testApp.ctx);
    const ids = await testApp.database.query<{ id: string }>('select connection_id as id from connection_rotations');
    expect(ids).toContainEqual({ id: open.id });
    expect(ids).not.toContainEqual({ id: ended.id });
  });

  test('has 2 to 1,440 minutes, and none where the address cannot be changed', async () => {
    const { exit, set } = await createTimed(1440);
    for (const minutes of [1, 1441, 2.5]) await expect(set(minutes)).rejects.toMatchObject({ code: 'VALIDATION' });
    await testApp.database.query('delete from exit_rotations where exit_id = $1', [exit.id]);
    await expect(set(5)).rejects.toMatchObject({ code: 'NOT_ROTATABLE' });
    await set(null);
  });
});

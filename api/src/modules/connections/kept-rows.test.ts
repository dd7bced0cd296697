/** Referential integrity of connections: foreign keys and triggers. */
import { connect, disconnect } from '@cellhop/contract/connections';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProxy, createUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { Actor } from '../../http/actor.ts';
import { connect as sell } from './connections.service.ts';

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

const rich = () => createUser(testApp, { balanceMicros: 10_000_000n });

async function countWaitingDeletions(): Promise<bigint> {
  const [row] = await testApp.database.query<{ count: bigint }>(
    `select count(*) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'delete from proxies%'`,
  );
  return row!.count;
}

test('users and sold proxies cannot be deleted, even after the connection has ended; unsold proxies can', async () => {
  const { database } = testApp;
  const user = await rich();
  const proxyId = await createProxy(testApp);
  const { id } = (await user.call(connect, { body: { id: proxyId, price: 0.8 } })).data;
  await user.call(disconnect, { params: { id } });
  await expect(database.query('delete from proxies where id = $1', [proxyId])).rejects.toThrow(
    'was sold and cannot be deleted',
  );
  await expect(database.query('delete from users where id = $1', [user.id])).rejects.toThrow('users is append-only');
  await expect(database.query('truncate proxies')).rejects.toThrow('referenced in a foreign key constraint');
  const unsold = await createProxy(testApp);
  await database.query('delete from proxies where id = $1', [unsold]);
  await expect(user.call(connect, { body: { id: unsold, price: 0.8 } })).rejects.toMatchObject({
    code: 'PROXY_NOT_FOUND',
  });
});

const refused = (name: string) => ({ constraint: name });

test('a connection references a user with the account that pays, and a proxy, and a proxy an existing connection', async () => {
  const { database } = testApp;
  const proxyId = await createProxy(testApp);
  const other = await rich();
  const { id } = (await (await rich()).call(connect, { body: { id: proxyId, price: 0.8 } })).data;
  const set = (table: string, column: string, value: string, id: string) =>
    database.query(`update ${table} set ${column} = $1 where id = $2`, [value, id]);
  for (const accountId of ['999999999', String(other.accountId)])
    await expect(set('connections', 'payer_account_id', accountId, id)).rejects.toMatchObject(
      refused('connections_user_account_fkey'),
    );
  for (const userId of [randomUUID(), other.id])
    await expect(set('connections', 'user_id', userId, id)).rejects.toMatchObject(
      refused('connections_user_account_fkey'),
    );
  await expect(set('connections', 'proxy_id', randomUUID(), id)).rejects.toMatchObject(
    refused('connections_proxy_id_fkey'),
  );
  await expect(set('proxies', 'connection_id', randomUUID(), proxyId)).rejects.toMatchObject(
    refused('proxies_connection_id_fkey'),
  );
  const invalid = await database.query('select conname from pg_constraint where not convalidated');
  expect(invalid).toEqual([]);
});

test('a proxy that is bought during its deletion is not deleted', async () => {
  const { database, ctx } = testApp;
  const { id: userId, accountId } = await rich();
  const actor: Actor = {
    userId,
    accountId,
    sessionId: randomUUID(),
    languageCode: 'en',
    permissions: new Set(),
    isSecondFactorDue: false,
  };
  const proxyId = await createProxy(testApp);
  // In an array, because the transaction would await a returned promise before it commits the purchase.
  const [deletion] = await ctx.tx(async (ctx) => {
    await sell(ctx, actor, { id: proxyId, price: 0.8 }, { idempotencyKey: null, network: null });
    const refusal = database.query('delete from proxies where id = $1', [proxyId]).then(
      () => 'deleted',
      (error: unknown) => String(error),
    );
    await expect.poll(countWaitingDeletions).toBe(1n);
    return [refusal];
  });
  expect(await deletion).toContain('was sold and cannot be deleted');
});

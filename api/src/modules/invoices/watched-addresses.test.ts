import { getSystemState } from '@cellhop/contract/staff/system';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Ctx } from '../../ctx.ts';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { letExpire, newInvoice } from '../../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { expireInvoices, watchChain } from './watch.service.ts';
import { readChainFigures } from './chain-overview.service.ts';
import { findOrInsertAccount, listWatchedAddresses } from './addresses.store.ts';

let testApp: TestApp;
let user: TestUser;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  user = await createUser(testApp);
});

test('a watcher knows which addresses have an open invoice', async () => {
  const old = await newInvoice(user);
  await letExpire(testApp, old);
  await expireInvoices(testApp.ctx);
  const { address } = await newInvoice(await createUser(testApp));
  const chain = new ScriptedChain();
  const asked: ReadonlySet<string>[] = [];
  const poll = chain.poll.bind(chain);
  chain.poll = (cursor, all, _signal?: AbortSignal, open?: ReadonlySet<string>) => {
    asked.push(all, open!);
    return poll(cursor, all);
  };
  await watchChain(testApp.ctx, 'bitcoin', chain);
  expect(asked).toEqual([new Set([address, old.address]), new Set([address])]);
});

test('an address with an open invoice is watched before all others', async () => {
  const { address } = await newInvoice(user);
  for (let count = 1; count <= 2; count++) {
    const other = await newInvoice(await createUser(testApp));
    await letExpire(testApp, other);
  }
  await expireInvoices(testApp.ctx);
  await testApp.database.query(
    `update deposit_addresses set watched_until = now() + interval '1 minute' where address = $1`,
    [address],
  );
  expect([...(await listWatchedAddresses(testApp.ctx, 'btc', 1)).all]).toEqual([address]);
});

test('metrics and staff see how many addresses are beyond the limit, and the number of sources', async () => {
  await newInvoice(user);
  await testApp.database.query(
    `insert into deposit_addresses (address_space, address, user_id, is_reused, wallet_account_id, derivation_index, mac)
     select address_space, 'a' || number, user_id, false, wallet_account_id, 1000 + number, mac
       from deposit_addresses, generate_series(1, 20001) as number`,
  );
  const figures = (await readChainFigures(testApp.ctx)).find(({ chain }) => chain === 'bitcoin');
  expect(figures).toMatchObject({ watchedAddresses: 20_000, unwatchedAddresses: 2 });
  const admin = await createUser(testApp, { roleName: 'ADMIN' });
  const { data } = await admin.call(getSystemState, {});
  expect(data.chains[0]).toMatchObject({ sources: 0, watchedAddresses: 20_000, unwatchedAddresses: 2 });
});

const openAccount = (ctx: Ctx) => findOrInsertAccount(ctx, 'btc', 'first of all', 1n);

test('the first two invoices of a shop at once have one account', async () => {
  const { first, second } = await testApp.ctx.tx(async (ctx) => {
    const first = await openAccount(ctx);
    const second = openAccount(testApp.ctx);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(() => testApp.database.query(waiting)).toHaveLength(1);
    return { first, second: second.catch((error: unknown) => error) };
  });
  expect(await second).toBe(first);
});

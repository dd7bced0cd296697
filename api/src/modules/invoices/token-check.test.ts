import { createInvoice, listCurrencies } from '@cellhop/contract/invoices';
import { getSystemState } from '@cellhop/contract/staff/system';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { ScriptedChain } from '../../../test/scripted-chain.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { ChainWatcher } from '../../payments/chains/watcher.ts';
import { parseAccountKey } from '../../payments/derive/account-key.ts';
import { watchChain } from './watch.service.ts';

let testApp: TestApp;
let user: TestUser;
let chain: ScriptedChain;
let watcher: ChainWatcher;
let readCount: number;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(async () => {
  await testApp.reset();
  Object.assign(testApp.ctx.config, { isDevelopment: false });
  const { payments } = testApp.ctx.config;
  payments.accounts = {
    evm: parseAccountKey(
      'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
    ),
  };
  payments.urls = { ethereum: ['http://127.0.0.1:1'] };
  await testApp.database.query(
    `insert into exchange_rates (asset, rate_e12, source_count, accepted_at) values ('USDT', '1000000000000', 2, now())`,
  );
  user = await createUser(testApp);
  chain = new ScriptedChain();
  restart(6);
  await poll();
});

async function poll() {
  await testApp.database.query('update chain_cursors set next_poll_at = now()');
  await watchChain(testApp.ctx, 'ethereum', watcher);
}

/** The chain stays, the process and its watcher are new. */
function restart(decimals: number | undefined): void {
  readCount = 0;
  const tokenDecimals = () => {
    readCount += 1;
    return Promise.resolve(decimals);
  };
  watcher = Object.assign(Object.create(chain) as ScriptedChain, { tokenDecimals });
}

test('the contract is read once for each start', async () => {
  await poll();
  expect(readCount).toBe(1);
  restart(6);
  await poll();
  expect(readCount).toBe(1);
});

test.each([
  [18, '0xdAC17F958D2ee523a2206206994597C13D831ec7 has 18 decimals instead of 6'],
  [undefined, '0xdAC17F958D2ee523a2206206994597C13D831ec7 is no token'],
])('a contract of %s decimals turns its currency off, and loses no payment', async (decimals, sentence) => {
  const { address } = (await user.call(createInvoice, { body: { currency: 'USDT_ERC20', amount: 25 } })).data;
  restart(decimals);
  chain.send({ asset: 'USDT', address, units: 25_000_000n });
  chain.mine();
  await poll();
  await testApp.database.query(`update chain_cursors set unavailable_since = now() - interval '3 minutes'
                                 where unavailable_since is not null`);
  const staff = await createUser(testApp, { roleName: 'ADMIN' });
  const { data: state } = await staff.call(getSystemState, {});
  const shown = state.chains.find((each) => each.chain === 'ethereum');
  expect(shown?.problem).toBe('UNAVAILABLE');
  expect(shown?.detail).toContain(`PAY_USDT_ERC20_CONTRACT: ${sentence}`);
  const { data: offered } = await user.call(listCurrencies, {});
  expect(offered.find(({ currency }) => currency === 'USDT_ERC20')?.problem).toBe('NETWORK');
  expect(await balanceOf(testApp, user)).toBe(0n);

  restart(6);
  chain.finalizedHeight = 1;
  await poll();
  expect(await balanceOf(testApp, user)).toBe(25_000_000n);
});

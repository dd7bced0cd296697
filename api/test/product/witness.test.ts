/**
 * The machine of the API is lost with its file, and the database is restored: a real gateway remembers which addresses were shown.
 * @module-tag thorough
 */
import { createInvoice } from '@cellhop/contract/invoices';
import { getAttention } from '@cellhop/contract/staff/dashboard';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createUser, type TestUser } from '../factories.ts';
import { ScriptedChain } from '../scripted-chain.ts';
import { temporaryDirectory } from '../../../tools/temporary-directory.ts';
import { skipShown } from '../../src/modules/invoices/restored.service.ts';
import { watchChain } from '../../src/modules/invoices/watch.service.ts';
import { keepWitness } from '../../src/modules/invoices/witness.service.ts';
import { parseAccountKey } from '../../src/payments/derive/account-key.ts';
import { deriveAddress } from '../../src/payments/derive/addresses.ts';
import { startProduct, stopProduct } from './product.ts';

const account = parseAccountKey(
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
);

const newInvoice = async (user: TestUser) =>
  (await user.call(createInvoice, { body: { currency: 'USDT_ERC20', amount: 25 } })).data;

test('Bob is not given the address that Alice was shown', async () => {
  const product = await startProduct({}, { limits: { helloIntervalMs: 20 } });
  const { ctx, database } = product;
  const file = path.join(temporaryDirectory(), 'witness.json');
  Object.assign(ctx.config, { isDevelopment: false, witnessFile: file });
  ctx.config.payments.accounts = { evm: account };
  ctx.config.payments.urls = { ethereum: ['http://127.0.0.1:1'] };
  const [alice, bob, finance] = [
    await createUser(product),
    await createUser(product),
    await createUser(product, { roleName: 'FINANCE' }),
  ];
  await database.query(
    `insert into exchange_rates (asset, rate_e12, source_count, accepted_at) values ('USDT', '1000000000000', 2, now())`,
  );
  await watchChain(ctx, 'ethereum', new ScriptedChain());
  const heartbeat = async () => (await database.query('select max(reported_at)::text as at from gateway_runs'))[0];

  expect((await newInvoice(alice)).address).toBe(deriveAddress('evm', account, 1n));
  keepWitness(ctx)();
  await expect.poll(() => database.query('select from witness_time')).toHaveLength(1);
  // The second one begins after the address was shown.
  for (let count = 0; count < 3; count++) {
    const before = await heartbeat();
    await expect.poll(heartbeat).not.toEqual(before);
  }
  await database.query('delete from invoices');
  await database.query('delete from deposit_addresses');
  await database.query('update wallet_accounts set next_index = 1');
  fs.rmSync(file);
  const stop = keepWitness(ctx);
  await expect(newInvoice(bob)).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE' });
  await expect.poll(() => fs.existsSync(file)).toBe(true);
  expect((await finance.call(getAttention, {})).data.restore).toMatchObject({ isOpen: true });
  await expect(newInvoice(bob)).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE' });
  stop();
  expect(await skipShown(ctx, file, undefined)).toMatchObject({ skipped: [{ space: 'evm', count: 1n }] });
  expect((await newInvoice(bob)).address).toBe(deriveAddress('evm', account, 2n));
  expect(await stopProduct(product)).toEqual([]);
});

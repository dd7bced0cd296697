import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeEvmChain, serveEvm } from '../../test/chains/fake-evm.ts';
import { startFakeNode } from '../../test/chains/test-node.ts';
import { createUser } from '../../test/factories.ts';
import { newInvoice, send } from '../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import * as states from '../modules/invoices/chain-states.store.ts';
import { runPaymentsCommand } from './payments-command.ts';
import { parseAccountKey } from '../payments/derive/account-key.ts';
import { deriveAddress } from '../payments/derive/addresses.ts';

/** The EVM account of the seed phrase `abandon` x 11 + `about`. */
const account = parseAccountKey(
  'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
);

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());
beforeEach(() => testApp.reset());

const run = (...values: string[]) => runPaymentsCommand(testApp.ctx, values);

async function pay(amountInCurrency: string): Promise<string> {
  const invoice = await newInvoice(await createUser(testApp));
  await send(testApp, invoice, amountInCurrency);
  return invoice.address;
}

const indexOf = async (address: string) => {
  const [row] = await testApp.database.query<{ index: bigint }>(
    'select derivation_index as index from deposit_addresses where address = $1',
    [address],
  );
  return row!.index;
};

describe('holdings', () => {
  test('prints account, number, address and amount of those that hold most, separated by tabs', async () => {
    const [small, large] = [await pay('0.00010000'), await pay('1.5')];
    await pay('0.00020000');
    await newInvoice(await createUser(testApp));
    const lines = (await run('holdings', 'BTC')).split('\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('account\tnumber\taddress\tBTC');
    expect(lines[1]).toBe(`sandbox\t0/${await indexOf(large)}\t${large}\t1.50000000`);
    expect(lines[3]).toBe(`sandbox\t0/${await indexOf(small)}\t${small}\t0.00010000`);
  });

  test('prints only its header row if there is nothing to sweep', async () => {
    expect(await run('holdings', 'USDT_BSC')).toBe('account\tnumber\taddress\tUSDT_BSC');
  });

  test('requires a currency that exists and is set up', async () => {
    await expect(run('holdings')).rejects.toThrow('Name one of the currencies: BTC, ');
    await expect(run('holdings', 'DOGE')).rejects.toThrow('Name one of the currencies: BTC, ');
    Object.assign(testApp.ctx.config, { isDevelopment: false });
    await expect(run('holdings', 'BTC')).rejects.toThrow('BTC is not set up.');
  });
});

describe('check', () => {
  test('prints the first addresses of each account, and which nodes work', async () => {
    Object.assign(testApp.ctx.config, { isDevelopment: false });
    const headAt = new Date(Math.floor(Date.now() / 1000) * 1000);
    const node = await startFakeNode(serveEvm(createFakeEvmChain({ headAt })));
    const { payments } = testApp.ctx.config;
    payments.accounts = { evm: account };
    // Nothing listens on the first one.
    payments.urls = { ethereum: ['http://127.0.0.1:1'], bsc: [node.url] };
    const lines = (await run('check')).split('\n');
    expect(lines.slice(0, 4)).toEqual([
      `evm  account ${account.fingerprint}`,
      ...[0n, 1n, 2n].map((index) => `  0/${index}  ${deriveAddress('evm', account, index)}`),
    ]);
    expect(lines[4]).toMatch(/^ethereum {2}does not work: .*127\.0\.0\.1:1/);
    // The newest two blocks are not read.
    expect(lines[5]).toBe(`bsc       works: block 998 of ${new Date(headAt.getTime() - 24_000).toISOString()}`);
    expect(lines).toHaveLength(6);
  });

  test('prints in development that payments use the sandbox', async () => {
    const lines = (await run('check')).split('\n');
    expect(lines[0]).toMatch(/^bitcoin {3}works: block \d+ of \d{4}-/);
    expect(lines.at(-1)).toBe('In development these are the sandbox, whatever the settings are.');
  });
});

test('resume, release and explain report what they did', async () => {
  expect(await run('resume', 'bitcoin')).toBe('bitcoin was not paused.');
  await states.pause(testApp.ctx, 'bitcoin', 'a test');
  expect(await run('resume', 'bitcoin')).toBe('bitcoin is credited again.');
  expect(await run('explain', 'ethereum', '0x00')).toBe('Nothing at this address is unexplained.');
  await expect(run('explain', 'ETH', '0x00')).rejects.toThrow('Name one of the chains: bitcoin, ');
  await expect(run('resume', 'dogecoin')).rejects.toThrow('Name one of the chains: bitcoin, ');
  expect(await run('release', '00000000-0000-4000-8000-000000000001')).toBe('This deposit is not on hold.');
  await expect(run('release', '17')).rejects.toThrow('Name the deposit by its id');
});

test.each([[[]], [['chec']], [['check', 'BTC']], [['holdings', 'BTC', 'ETH']]])('%j gets the usage', async (values) => {
  await expect(run(...values)).rejects.toThrow('npm run payments -- check  ');
});

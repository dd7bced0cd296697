import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeEvmChain, serveEvm } from '../../test/chains/fake-evm.ts';
import { Refusal } from '../../test/chains/fake-node.ts';
import { createFakeToken, serveToken } from '../../test/chains/fake-token.ts';
import { startFakeNode } from '../../test/chains/test-node.ts';
import { createUser } from '../../test/factories.ts';
import { order } from '../../test/operator.ts';
import { newInvoice, send } from '../../test/sandbox-payments.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import * as states from '../modules/invoices/chain-states.store.ts';
import { holdingsFileSchema } from '../payments/holdings-file.ts';
import { payments as paymentsCommand } from './payments.ts';
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

const run = async (...values: string[]) => (await order(testApp.ctx, paymentsCommand, values)).output;

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

const refuse = () => {
  throw new Refusal(-32601, 'not for you');
};

describe('holdings of a chain', () => {
  test('write no file if an address could not be compared with its deposits', async () => {
    await newInvoice(await createUser(testApp), 'USDT_BSC');
    await testApp.database.query(`update deposit_addresses set address = $1`, [deriveAddress('evm', account, 0n)]);
    Object.assign(testApp.ctx.config, { isDevelopment: false });
    const served = serveEvm(createFakeEvmChain({ chainId: 56 }));
    const node = await startFakeNode({ ...served, eth_call: refuse });
    testApp.ctx.config.payments.accounts = { evm: account };
    testApp.ctx.config.payments.urls = { bsc: [node.url] };
    const file = path.join(await mkdtemp(path.join(tmpdir(), 'holdings-')), 'list.json');
    await expect(run('holdings', 'bsc', '--file', file)).rejects.toThrow(
      /^Not all addresses could be compared .* not for you.* run this again; npm run payments -- holdings bsc prints the list/,
    );
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });

  test('are a list for the offline program, on the terminal or in a file', async () => {
    Object.assign(testApp.ctx.config, { isDevelopment: false });
    const chain = createFakeEvmChain({ chainId: 56 });
    const fees = { eth_gasPrice: () => '0x1', eth_maxPriorityFeePerGas: () => '0x1' };
    const node = await startFakeNode({ ...serveEvm(chain), ...serveToken(createFakeToken()), ...fees });
    const { payments } = testApp.ctx.config;
    payments.accounts = { evm: account };
    payments.urls = { bsc: [node.url] };
    const list = holdingsFileSchema.parse(JSON.parse(await run('holdings', 'bsc')));
    expect(list.chains).toMatchObject([{ chain: 'bsc', chainId: 56, addresses: [] }]);
    const compared = () => states.readState(testApp.ctx, 'bsc').then(({ comparedAt }) => comparedAt);
    expect(await compared()).toBeNull();
    const file = path.join(await mkdtemp(path.join(tmpdir(), 'holdings-')), 'list.json');
    expect(await run('holdings', 'bsc', '--file', file)).toBe(`${file} lists 0 addresses.`);
    expect(await compared()).not.toBeNull();
    expect(holdingsFileSchema.parse(JSON.parse(await readFile(file, 'utf8'))).chains).toEqual(list.chains);
    // What was signed from it may still have to be found again.
    await expect(run('holdings', 'bsc', '--file', file)).rejects.toThrow(`${file} exists already`);
    const other = path.join(path.dirname(file), 'other.json');
    await expect(run('holdings', 'ethereum', '--file', other)).rejects.toThrow('ethereum is not set up.');
    await expect(readFile(other)).rejects.toThrow('ENOENT');
    await expect(run('holdings', 'ethereum')).rejects.toThrow('ethereum is not set up.');
    await expect(run('holdings', 'bsc', '--files', file)).rejects.toThrow('"--files" is not --file.');
  });
});

describe('check', () => {
  test('prints the first addresses of each account, and what each source serves', async () => {
    Object.assign(testApp.ctx.config, { isDevelopment: false });
    const headAt = new Date(Math.floor(Date.now() / 1000) * 1000);
    const token = `0x${'70'.repeat(20)}`;
    const transfers = [{ height: 995, to: token, units: 1n }];
    const chain = createFakeEvmChain({ headAt, token, transfers });
    const served = { ...serveEvm(chain), ...serveToken(createFakeToken({ decimals: 18 })) };
    const [node, partial] = await Promise.all([
      startFakeNode(served),
      startFakeNode({ ...served, eth_getLogs: refuse }),
    ]);
    const { payments } = testApp.ctx.config;
    payments.accounts = { evm: account };
    payments.usdtContracts.bsc = token;
    // Nothing listens on the first one.
    payments.urls = { ethereum: ['http://127.0.0.1:1'], bsc: [node.url, partial.url] };
    const lines = (await run('check')).split('\n');
    expect(lines.slice(0, 4)).toEqual([
      `evm  account ${account.fingerprint}`,
      ...[0n, 1n, 2n].map((index) => `  0/${index}  ${deriveAddress('evm', account, index)}`),
    ]);
    expect(lines[4]).toMatch(/^ethereum {2}127\.0\.0\.1:1 {2}DOES NOT WORK: newest block: .* cannot be reached/);
    expect(lines[5]).toBe(
      `bsc       ${new URL(node.url).host}  works: newest block: block 1000 of ${headAt.toISOString()}; eth_getLogs: of 1001 blocks; logs of the token: 1 in 20 blocks; eth_call of Multicall3: 0xca11bde05977b3631167028862be2a173976ca11 works; contract of USDT: 18 decimals; state of USDT: neither paused nor replaced`,
    );
    expect(lines[6]).toMatch(/^bsc {7}\S+ {2}DOES NOT WORK: eth_getLogs: not for you; .* what works: newest block: /);
    expect(lines[7]).toMatch(/^ethereum {2}has one source: whatever it says is believed. Three are recommended/);
    expect(lines[8]).toMatch(/^bsc {7}has two sources: both must work and agree/);
    expect(lines[9]).toMatch(/^bsc {7}payments in .* are credited as USDT, whose usual contract is 0x55d3/);
    expect(lines).toHaveLength(10);
  });

  test('prints in development that payments use the sandbox', async () => {
    const lines = (await run('check')).split('\n');
    expect(lines[0]).toMatch(/^bitcoin {3}sandbox {2}works: newest block: block \d+ of \d{4}-/);
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

test.each([[[]], [['chec']], [['check', 'BTC']], [['holdings', 'BTC', 'ETH']]])('%j are refused', async (values) => {
  await expect(run(...values)).rejects.toThrow(/^Which command\?$|is not one of these commands/);
});

import { enableSecondFactor, setPassword, setUpSecondFactor } from '@cellhop/contract/auth';
import { ApiError, type Call, createClient } from '@cellhop/contract/client';
import { connect, listConnections } from '@cellhop/contract/connections';
import type { Chain } from '@cellhop/contract/chains';
import { createInvoice, listInvoices, type CreateInvoiceBody, type Invoice } from '@cellhop/contract/invoices';
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import { searchProxies } from '@cellhop/contract/proxies';
import { getSettings } from '@cellhop/contract/settings';
import { getAnyInvoice } from '@cellhop/contract/staff/invoices';
import { getProfile } from '@cellhop/contract/users';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currencyRules, findCurrency } from '../../src/payments/currencies.ts';
import { waitFor } from '../chains/local-node.ts';
import { codeOf } from '../second-factor.ts';
import { ACCOUNT, createCustomer, PASSWORD, type Production, signInAs, startProduction } from './production.ts';

const ADMINISTRATOR = 'owner@example.com';
const POLL_INTERVAL_MS = 12_000;
/** Generous: a poll takes time, and the machine may be busy. */
const POLL_ITSELF_MS = 6000;
const STEP_LIMIT_MS = 90_000;
const DOWNLOAD_BYTES = 3 * 1_048_576;
const CATALOGUE = `ip,price,countryCode,region,city,zip,isp,connectionType,node,exitKind,exit
192.0.2.1,0.8,DE,Berlin,Berlin,10115,Telekom,LTE,default,local-address,
`;

let production: Production;
let referralCode: string;
beforeAll(async () => {
  production = await startProduction({ PAY_HOLD_USD: '200' });
  const output = await production.run('create-admin', ADMINISTRATOR);
  referralCode = /referral code (\S+?)\.?$/m.exec(output)![1]!;
  const code = new URL(/https?:\/\/\S+/.exec(output)![0]).searchParams.get('code')!;
  await createClient({ baseUrl: production.url })(setPassword, { body: { code, password: PASSWORD } });
}, 240_000);
afterAll(() => production?.stop(), 60_000);

describe('in production, on all six chains', { timeout: 240_000 }, () => {
  it('npm run payments -- check prints the addresses of the wallet and the block of the node', async () => {
    const output = await production.run('payments', 'check');
    expect(output).toContain(`0/0  ${ACCOUNT.firstAddress}`);
    expect(output).toContain('blocks that prove themselves: all of');
    expect(output).toMatch(/ethereum +127\.0\.0\.1:\d+ +works: newest block: block \d+ of/);
    const { data } = await createClient({ baseUrl: production.url })(getSettings, {});
    expect(data.currencies).toEqual(currencies);
  });

  it('a payment in USDT is credited two polls after its block is final', async () => {
    const call = await createCustomer(production, 'payer@example.com', referralCode);
    const before = await balanceOf(call);
    const invoice = await invoiceOf(call, { currency: 'USDT_ERC20', amount: 25 });
    expect(invoice).toMatchObject({ isSandbox: false, amountInCurrency: expect.stringMatching(/^25(\.0+)?$/) });
    const transaction = await production.ethereum.payUsdt(invoice.address, 25_000_000n);
    const delayMs = await creditDelayMs(call, invoice, transaction);
    expect(delayMs).toBeLessThan(2 * POLL_INTERVAL_MS + POLL_ITSELF_MS);
    expect(await balanceOf(call)).toBe(before + 25);
    const [paid] = (await call(listInvoices, { query: {} })).data;
    expect(paid!.payment!.transfers).toMatchObject([{ explorerUrl: `https://etherscan.io/tx/${transaction}` }]);
  });

  it('nine invoices are paid by wallets of others: nine credits, which buy a proxy', async () => {
    const call = await createCustomer(production, 'nine@example.com', referralCode);
    const before = await balanceOf(call);
    const invoices: Invoice[] = [];
    for (const currency of currencies) invoices.push(await invoiceOf(call, { currency, amount: 20 }));
    for (const { currency, address, amountInCurrency } of invoices)
      await payers[currency](address, unitsOf(currency, amountInCurrency));
    await waitFor('nine credits', STEP_LIMIT_MS, async () => {
      const { data } = await call(listInvoices, { query: {} });
      const unpaid = data.filter(({ status }) => status !== 'PAID').map(({ currency, status }) => [currency, status]);
      assert.deepEqual(unpaid, []);
    });
    const deposits = await query<{ currency: Currency; address: string; units: string; credited: string }>(
      `select invoices.currency, address, units::text, credited_micros::text as credited
         from deposits join invoices on invoices.id = invoice_id
         join deposit_addresses on deposit_addresses.id = deposits.address_id
        where state = 'CREDITED' and amount_micros = 20000000 order by invoices.currency`,
    );
    expect(deposits.map(({ currency, address, units }) => ({ currency, address, units }))).toEqual(
      invoices
        .map(({ currency, address, amountInCurrency }) => ({
          currency,
          address,
          units: String(unitsOf(currency, amountInCurrency)),
        }))
        .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
    );
    const credited = deposits.reduce((sum, one) => sum + Number(one.credited) / 1e6, 0);
    expect((await balanceOf(call)) - before).toBeCloseTo(credited, 6);
    // Amounts of invoices are rounded up.
    expect(credited).toBeCloseTo(9 * 20, 0);
    await useProxy(call);
    // Its result is expected below.
    await query(`select graphile_worker.add_job('chains.compare')`);
  });

  it('a large payment is held until npm run payments -- release, and gas for a sweep is no payment', async () => {
    const call = await createCustomer(production, 'large@example.com', referralCode);
    const invoice = await invoiceOf(call, { currency: 'ETH', amount: 400 });
    const { ethereum, fundingAddress } = production;
    const gas = { from: fundingAddress, to: invoice.address, value: '0x38d7ea4c68000' };
    await ethereum.rpc('eth_sendTransaction', gas);
    await ethereum.send({ to: invoice.address, value: 10n ** 17n });
    const deposit = await waitFor('the payment to be held', STEP_LIMIT_MS, async () => {
      const [row] = await query<{ id: string }>(`select id from deposits where hold = 'LARGE'`);
      assert(row);
      return row;
    });
    expect(await balanceOf(call)).toBe(0);
    expect(await production.run('payments', 'release', deposit.id)).toContain('credited within seconds');
    await waitFor('the credit', STEP_LIMIT_MS, async () => assert.equal(await balanceOf(call), 400));
    expect(await production.run('payments', 'release', deposit.id)).toContain('not on hold');
    const staff = await signInAsAdministrator();
    const { data } = await staff(getAnyInvoice, { params: { id: invoice.id } });
    expect(data).toMatchObject({ status: 'PAID', deposits: [{ id: deposit.id, state: 'CREDITED', credited: 400 }] });
    expect(data.derivationIndex).toBeGreaterThan(0);
  });

  it('a paused chain takes no invoices until npm run payments -- resume', async () => {
    const call = await createCustomer(production, 'waiting@example.com', referralCode);
    await invoiceOf(call, { currency: 'ETH', amount: 25 });
    await query(`update chain_cursors set paused_at = now(), pause_reason = 'a test' where chain = 'ethereum'`);
    const body = { currency: 'ETH', amount: 25 } as const;
    await expect(call(createInvoice, { body })).rejects.toMatchObject({ code: 'CURRENCY_UNAVAILABLE' });
    expect(await production.run('payments', 'resume', 'ethereum')).toContain('ethereum is credited again');
    expect((await call(createInvoice, { body })).data.status).toBe('PENDING');
    expect(await production.run('payments', 'resume', 'ethereum')).toContain('was not paused');
  });

  it('the comparison of all six chains finds what the ledger has, and nothing else', async () => {
    await waitFor('the comparison', STEP_LIMIT_MS, async () => {
      const rows = await query<{ chain: string }>('select chain from chain_cursors where compared_at is null');
      assert.deepEqual(rows, []);
    });
    expect(await query('select chain, differences from chain_cursors where cardinality(differences) > 0')).toEqual([]);
    const held = await query<{ chain: Chain; asset: string; held: string; deposits: string }>(
      `select chain, asset, sum(held_units)::text as held, sum(deposit_units)::text as deposits
         from held_amounts group by chain, asset`,
    );
    expect(new Set(held.map(({ chain, asset }) => findCurrency(chain, asset)))).toEqual(new Set(currencies));
    for (const { held: units, deposits, ...one } of held)
      expect({ ...one, units }).toEqual({ ...one, units: deposits });
  });
});

/** None of these wallets is ours: those of anvil, bcoin and litecoind, tronweb, and one of `@ton/sandbox`. */
const payers: Record<Currency, (address: string, units: bigint) => Promise<unknown>> = {
  BTC: (address, units) => production.coins.pay.BTC(address, Number(units) / 1e8),
  LTC: (address, units) => production.coins.pay.LTC(address, Number(units) / 1e8),
  ETH: (address, units) => production.ethereum.send({ to: address, value: units }),
  USDT_ERC20: (address, units) => production.ethereum.payUsdt(address, units),
  USDT_BSC: (address, units) => production.bsc.payUsdt(address, units),
  TRX: (address, units) => production.tron.pay.TRX({ address, units }),
  USDT_TRC20: (address, units) => production.tron.pay.USDT_TRC20({ address, units }),
  TON: (address, units) => production.ton.pay.TON({ address, units }),
  USDT_TON: (address, units) => production.ton.pay.USDT_TON({ address, units }),
};

/** @param amount as the invoice shows it */
function unitsOf(currency: Currency, amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(currencyRules[currency].decimals, '0'));
}

/** Repeated until the worker has polled the chain and fetched rates for the first time. */
function invoiceOf(call: Call, body: CreateInvoiceBody): Promise<Invoice> {
  return waitFor('an invoice', STEP_LIMIT_MS, async () => {
    try {
      return (await call(createInvoice, { body })).data;
    } catch (error) {
      assert(error instanceof ApiError && error.status === 503, String(error));
      throw error;
    }
  });
}

/** Waits until the block of the transaction is `safe`. */
async function creditDelayMs(call: Call, { id }: Invoice, transaction: string): Promise<number> {
  const { rpc } = production.ethereum;
  const block = await waitFor('the block of the payment', STEP_LIMIT_MS, async () => {
    const receipt = await rpc<{ blockNumber: string } | null>('eth_getTransactionReceipt', transaction);
    assert(receipt);
    return BigInt(receipt.blockNumber);
  });
  await waitFor('finality', STEP_LIMIT_MS, async () => {
    const { number } = await rpc<{ number: string }>('eth_getBlockByNumber', 'safe', false);
    assert(BigInt(number) >= block);
  });
  const finalAt = performance.now();
  await waitFor('the credit', STEP_LIMIT_MS, async () => {
    const { data } = await call(listInvoices, { query: {} });
    assert.equal(data.find((each) => each.id === id)?.status, 'PAID');
  });
  return performance.now() - finalAt;
}

async function balanceOf(call: Call): Promise<number> {
  return (await call(getProfile, {})).data.balance;
}

/** Imports the catalogue, buys its proxy, and counts what comes through it. */
async function useProxy(call: Call): Promise<void> {
  const file = path.join(os.tmpdir(), `cellhop-catalogue-${process.pid}.csv`);
  fs.writeFileSync(file, CATALOGUE);
  await production.run('catalogue', 'import', file);
  fs.rmSync(file);
  const proxy = await waitFor('the proxy', STEP_LIMIT_MS, async () => {
    const [found] = (await call(searchProxies, { query: {} })).data;
    assert(found);
    return found;
  });
  const { data } = await call(connect, { body: { id: proxy.id, price: proxy.price } });
  const origin = createServer((_, response) => response.end(Buffer.alloc(DOWNLOAD_BYTES)));
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`;
    const via = `http://${data.username}:${data.password}@${data.host}:${data.port}`;
    const args = ['--silent', '--fail', '--max-time', '30', '--noproxy', '', '--proxy', via, '--output', '/dev/null'];
    const { stdout } = await promisify(execFile)(process.env['CURL']!, [
      ...args,
      '--write-out',
      '%{size_download}',
      url,
    ]);
    expect(Number(stdout)).toBe(DOWNLOAD_BYTES);
  } finally {
    origin.closeAllConnections();
    await new Promise((resolve) => origin.close(resolve));
  }
  await waitFor('the traffic to be charged', STEP_LIMIT_MS, async () => {
    const [connection] = (await call(listConnections, { query: {} })).data;
    assert(connection!.trafficUsed * 1024 >= DOWNLOAD_BYTES);
  });
}

/** In production staff need two-factor sign-in. */
async function signInAsAdministrator(): Promise<Call> {
  const call = await signInAs(production.url, ADMINISTRATOR, PASSWORD);
  const { secret } = (await call(setUpSecondFactor, { body: { password: PASSWORD } })).data;
  await call(enableSecondFactor, { body: { code: codeOf(secret) } });
  return call;
}

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: production.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

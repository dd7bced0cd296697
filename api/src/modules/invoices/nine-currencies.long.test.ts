/**
 * All currencies in production mode on chains in memory, by a seeded plan: payments, forks, restarts of the worker, sweeps, and one source of each
 * chain that lies. Nothing is ever credited twice or lost, and ledger and chains agree in the end.
 * @module-tag long
 */
import { createInvoice } from '@cellhop/contract/invoices';
import { currencies, type Currency } from '@cellhop/contract/invoices.values';
import { keyPairFromSeed } from '@ton/crypto';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { generalLies } from '../../../test/chains/lies.ts';
import type { Payment, RandomChain } from '../../../test/chains/random/random-chain.ts';
import { openRandomEvm } from '../../../test/chains/random/random-evm.ts';
import { openRandomTon } from '../../../test/chains/random/random-ton.ts';
import { openRandomTron } from '../../../test/chains/random/random-tron.ts';
import { openRandomUtxo } from '../../../test/chains/random/random-utxo.ts';
import { balanceOf, createUser, type TestUser } from '../../../test/factories.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { createRandom, type Random } from '../../../../tools/random.ts';
import { checkInvariants } from '../../db/check-invariants.ts';
import { toCreditMicros } from '../../payments/amounts.ts';
import type { ChainWatcher } from '../../payments/chains/watcher.ts';
import { chainsWith } from '../../payments/chains/descriptors.ts';
import { currencyRules, findCurrency, type Chain } from '../../payments/currencies.ts';
import { parseAccountKey } from '../../payments/derive/account-key.ts';
import { parseWalletKey } from '../../payments/derive/wallet-key.ts';
import * as states from './chain-states.store.ts';
import { compareChain } from './comparison.service.ts';
import { watchChain } from './watch.service.ts';

vi.setConfig({ testTimeout: 900_000 });
const SEEDS = Array.from({ length: 4 }, (_, index) => index + 1);
/** After each, all sources are honest, and ledger and chains are compared. */
const ROUNDS = 3;
const STEPS = 10;
const FIRST_POLLS = 3;
const POLLS_MAX = 200;
/** A dollar for each coin. */
const RATE_E12 = 1_000_000_000_000n;
/** The accounts of the seed phrase `abandon` x 11 + `about`. */
const accounts = {
  btc: 'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
  ltc: 'xpub6CjGURuDpczf6uNrCCwfhVizn5J3hsWcvZ2m6GAdmAjZnoWJPrx6TFPjGSftc2o5fvox6ubQjSXmjjaHZjwYMH7SGFpHHb9Jg24zBf66mbE',
  evm: 'xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt',
  tron: 'xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd',
};
/** Contracts on TON pay for their storage, and a wallet that was swept before for each payment that it takes: less than a thousandth of a TON. */
const TON_FEES_UNITS = 10n ** 8n;

let testApp: TestApp;
beforeAll(async () => {
  testApp = await startTestApp();
});
afterAll(() => testApp.stop());

interface Watched {
  random: RandomChain;
  watcher: ChainWatcher;
}

interface World {
  random: Random;
  chains: readonly Watched[];
  users: readonly TestUser[];
  /** Of each currency. */
  addresses: ReadonlyMap<Currency, readonly string[]>;
  /** All payments, also those that a fork has replaced for ever. */
  seen: Set<string>;
}

async function openWorld(seed: number): Promise<World> {
  await testApp.reset();
  const random = createRandom(seed * 7919);
  const account = keyPairFromSeed(createHash('sha256').update(`seed ${seed}`).digest());
  const { payments } = testApp.ctx.config;
  Object.assign(testApp.ctx.config, { isDevelopment: false });
  payments.accounts = {
    ...Object.fromEntries(Object.entries(accounts).map(([space, key]) => [space, parseAccountKey(key)])),
    ton: parseWalletKey(account.publicKey.toString('hex')),
  };
  const opened = await Promise.all([
    ...chainsWith('utxo').map((chain) => openRandomUtxo(chain, random)),
    ...chainsWith('evm').map((chain) => openRandomEvm(chain, random)),
    openRandomTron(random),
    openRandomTon(random, account),
  ]);
  onTestFinished(async () => void (await Promise.all(opened.map(({ end }) => end()))));
  // Only their presence counts: the watchers are those of the test.
  payments.urls = Object.fromEntries(opened.map(({ chain }) => [chain, ['http://127.0.0.1:1']]));
  for (const asset of new Set(currencies.map((currency) => currencyRules[currency].asset)))
    // One each minute for hours, because a rate is fresh for two, which a slow machine takes for one plan.
    await testApp.database.query(
      `insert into exchange_rates (asset, rate_e12, source_count, accepted_at)
       select $1, $2, 2, now() + minutes * interval '1 minute' from generate_series(0, 240) as minutes`,
      [asset, String(RATE_E12)],
    );
  const chains = opened.map((one) => ({ random: one, watcher: one.createWatcher() }));
  // Forks must not reach below the first block that was read.
  for (let polls = 0; polls < FIRST_POLLS; polls += 1) {
    await Promise.all(chains.map(poll));
    for (const { random: one } of chains) await one.advance();
  }
  const users = [await createUser(testApp), await createUser(testApp)];
  const addresses = new Map<Currency, string[]>();
  for (const currency of currencies)
    for (const user of users) {
      const { address } = (await user.call(createInvoice, { body: { currency, amount: 25 } })).data;
      addresses.set(currency, [...(addresses.get(currency) ?? []), address]);
    }
  return { random, chains, users, addresses, seen: new Set() };
}

async function poll({ random: { chain }, watcher }: Watched): Promise<void> {
  await testApp.database.query('update chain_cursors set next_poll_at = now() where chain = $1', [chain]);
  await watchChain(testApp.ctx, chain, watcher);
}

const currenciesOf = (chain: Chain) => currencies.filter((currency) => currencyRules[currency].chain === chain);

/** From ten cents to five dollars. */
function anyPayment({ random, addresses }: World, chain: Chain): Payment {
  const currency = random.pick(currenciesOf(chain));
  const tenth = 10n ** BigInt(currencyRules[currency].decimals - 1);
  const units = tenth * BigInt(1 + random.below(50)) + BigInt(random.below(1000));
  return { currency, address: random.pick(addresses.get(currency)!), units };
}

async function takeStep(world: World): Promise<void> {
  const { random, chains, addresses } = world;
  for (const watched of chains) {
    const { random: one } = watched;
    for (let count = random.below(3); count > 0; count -= 1) await one.pay(anyPayment(world, one.chain));
    await one.advance();
    if (random.below(3) === 0) one.fork?.();
    const currency = random.pick(currenciesOf(one.chain));
    if (random.below(6) === 0) await one.sweep(currency, random.pick(addresses.get(currency)!));
    setMood(world, one);
    if (random.below(3) === 0) watched.watcher = one.createWatcher();
  }
  await Promise.all(chains.map(poll));
}

function setMood({ random, addresses }: World, { chain, liar, liesAbout }: RandomChain): void {
  const ours = currenciesOf(chain).flatMap((currency) => addresses.get(currency)!);
  const lies = [...Object.values(generalLies), ...liesAbout(ours)];
  const isHonest = random.below(4) === 0;
  liar.mood = isHonest
    ? undefined
    : {
        lie: random.pick(lies),
        topic: random.below(4) === 0 ? undefined : random.pick([...liar.topics].toSorted()),
        percent: random.pick([30, 100]),
        seed: random.below(2 ** 31),
      };
}

interface Credit extends Payment {
  transactionId: string;
  state: string;
  creditedMicros: bigint | null;
}

async function listDeposits(): Promise<Credit[]> {
  const rows = await testApp.database.query<{
    chain: Chain;
    asset: string;
    address: string;
    units: string;
    transactionId: string;
    state: string;
    creditedMicros: bigint | null;
  }>(
    `select chain, asset, address, units::text, transaction_id as "transactionId", state, credited_micros as "creditedMicros"
       from deposits join deposit_addresses on deposit_addresses.id = address_id`,
  );
  return rows.map(({ chain, asset, units, ...row }) => ({
    ...row,
    currency: findCurrency(chain, asset)!,
    units: BigInt(units),
  }));
}

/** What contracts have sent has no transaction of its own. */
const identify = ({ currency, address, units, transactionId }: Payment & { transactionId: string | undefined }) =>
  [
    currency,
    address,
    units,
    transactionId?.startsWith('balance:') ? 'by contracts' : (transactionId ?? 'by contracts'),
  ].join(' ');

/** True after every step: nothing is credited that was not paid, and balances are what was credited. */
async function expectSound({ users, chains, seen }: World): Promise<void> {
  for (const { random } of chains) for (const one of random.paid()) seen.add(identify(one));
  const credited = (await listDeposits()).filter(({ state }) => state === 'CREDITED');
  expect(credited.map(identify).filter((one) => !seen.has(one) && !one.endsWith('by contracts'))).toEqual([]);
  const creditedMicros = credited.reduce((sum, one) => sum + one.creditedMicros!, 0n);
  const balances = await Promise.all(users.map((user) => balanceOf(testApp, user)));
  expect(balances.reduce((sum, one) => sum + one, 0n)).toBe(creditedMicros);
  expect(await checkInvariants(testApp.ctx)).toEqual([]);
  for (const { random } of chains) {
    const { unavailableReason, unavailableMessage } = await states.readState(testApp.ctx, random.chain);
    // Both would need the operator or a developer.
    const isSerious = unavailableReason === 'INTERNAL' || unavailableReason === 'DEEP_REORGANISATION';
    assert(!isSerious, `${random.chain}: ${unavailableMessage}`);
  }
}

/** The sources are honest from now on, and everything becomes final. */
async function makeFinal({ chains }: World): Promise<void> {
  for (const watched of chains) {
    watched.random.liar.mood = undefined;
    watched.watcher = watched.random.createWatcher();
  }
  await Promise.all(chains.map(readAll));
  await Promise.all(chains.map(({ random }) => random.makeFinal()));
  await Promise.all(chains.map(readAll));
}

const listPaid = ({ chains }: World) => chains.flatMap(({ random }) => random.paid());

/** To the last unit, and to the last micro-dollar. */
async function listCredited(): Promise<Credit[]> {
  const credited = (await listDeposits()).filter(({ state }) => state === 'CREDITED');
  for (const { currency, units, creditedMicros } of credited)
    expect(creditedMicros).toBe(toCreditMicros(units, RATE_E12, currencyRules[currency]));
  return credited;
}

async function expectHoldings(world: World): Promise<void> {
  for (const watched of world.chains) {
    expect(await compare(watched)).toEqual([]);
    for (const currency of currenciesOf(watched.random.chain)) {
      const owners = world.addresses.get(currency)!;
      await expectHeld(watched, currency, owners, listPaid(world));
    }
  }
}

/** Row by row: what an address holds and what was swept from it is what was credited. */
async function expectHeld(
  { random, watcher }: Watched,
  currency: Currency,
  owners: readonly string[],
  paid: readonly Payment[],
) {
  const { asset } = currencyRules[currency];
  const { units } = await watcher.balances(asset, [...owners], new AbortController().signal);
  for (const address of owners) {
    const received = paid
      .filter((one) => one.currency === currency && one.address === address)
      .reduce((sum, one) => sum + one.units, 0n);
    const missing = received - units.get(address)! - random.swept.of(currency, address);
    if (currency !== 'TON') expect([address, missing]).toEqual([address, 0n]);
    else assert(missing >= 0n && missing <= TON_FEES_UNITS, `${address}: ${missing} nanotons are missing`);
  }
}

/** Until the chain is read and nothing waits for another poll. The operator lets it go on after a reorganisation. */
async function readAll(watched: Watched): Promise<void> {
  const { chain } = watched.random;
  let before = '';
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    await states.resume(testApp.ctx, chain);
    await poll(watched);
    const { cursor, headHeight, scannedHeight, unavailableMessage } = await states.readState(testApp.ctx, chain);
    const deposits = await testApp.database.query(
      'select id, state, missing_height::text from deposits where chain = $1 order by id',
      [chain],
    );
    const after = JSON.stringify([cursor, deposits]);
    if (after === before && headHeight === scannedHeight && unavailableMessage === null) return;
    before = after;
  }
  throw new Error(`${chain} was not read in ${POLLS_MAX} polls`);
}

/** As in production, blocks and polls go on meanwhile. */
async function compare(watched: Watched): Promise<string[]> {
  const run = { isOver: watched.random.chain !== 'ton' };
  const { chain } = watched.random;
  const comparison = compareChain(testApp.ctx, chain, watched.watcher).finally(() => (run.isOver = true));
  while (!run.isOver) {
    await watched.random.makeFinal();
    await poll(watched);
  }
  return comparison;
}

describe('payments in nine currencies', () => {
  it.each(SEEDS)(
    'are credited once and never lost, with forks, restarts, sweeps and lying sources: seed %i',
    async (seed) => {
      const world = await openWorld(seed);
      for (let round = 0; round < ROUNDS; round += 1) {
        for (let step = 0; step < STEPS; step += 1) {
          await takeStep(world);
          await expectSound(world);
        }
        await makeFinal(world);
        expect((await listCredited()).map(identify).toSorted()).toEqual(listPaid(world).map(identify).toSorted());
        await expectSound(world);
        await expectHoldings(world);
      }
    },
  );
});

/**
 * Sweeps of TON from the list to the block, in the real virtual machine: what the program says is missing suffices, and nothing is sent twice.
 * @module-tag thorough
 */
import { Address } from '@ton/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { honest } from '../../../test/chains/ton/behaviour.ts';
import { bodies, walletCodeHash } from '../../../test/chains/ton/jetton.ts';
import { TON } from '../../../test/chains/ton/ton-chain.ts';
import { startTwoSources, type TwoSources } from '../../../test/chains/ton/two-sources.ts';
import { holdingsFile, type TonHoldings } from '../../../test/holdings.ts';
import { TON_WORDS } from '../../../test/offline-machine.ts';
import { signList } from '../../../test/offline-signing.ts';
import type { AddressBalances } from '../holdings-file.ts';
import { openTonAccount } from '../offline/ton-seed.ts';
import type { PrivateAccount } from '../offline/seed.ts';
import type { SweepSource } from './sweep-source.ts';
import { createTonSweepSource } from './ton-sweep-source.ts';

const USDT_FEE = (TON * 6n) / 100n;
const { signal } = new AbortController();
const succeeded = expect.objectContaining({ isSuccessful: true });

let ton: TwoSources;
let account: PrivateAccount;
/** Another wallet for each test, because the chain keeps what was sent. */
let lastIndex = 0;
beforeAll(async () => {
  ton = await startTwoSources();
  account = await openTonAccount(TON_WORDS);
  return () => ton.close();
});

const show = (address: Address) => address.toString({ bounceable: false });

/** A wallet of a customer, an own treasury, and a source. */
async function open(url = ton.index.url) {
  const { chain } = ton;
  for (const facade of [ton.index, ton.node]) facade.behaviour = honest();
  lastIndex += 1;
  const index = lastIndex;
  const address = account.addressOf(index);
  const owner = Address.parse(address);
  const treasuryAddress = (await chain.blockchain.treasury(`treasury ${index}`)).address;
  const source = createTonSweepSource(url, { requestsPerSecond: 1000 });
  const watcher = ton.createWatcher();
  const coinsOf = (of: Address) => chain.stateOf(of.toRawString()).balance;
  const unitsOf = async (asset: string, of: string) => (await watcher.balances(asset, [of], signal)).units.get(of)!;
  return {
    index,
    owner,
    treasury: show(treasuryAddress),
    source,
    coins: () => coinsOf(owner),
    coinsOfTreasury: () => coinsOf(treasuryAddress),
    usdt: () => unitsOf('USDT', address),
    usdtOfTreasury: () => unitsOf('USDT', show(treasuryAddress)),
    async payTon(value: bigint) {
      await chain.send({ to: owner, value });
      chain.mine();
    },
    async payUsdt(units: bigint) {
      await chain.send(chain.tokenTransfer(owner, units));
      chain.mine();
    },
    /** As the server makes it. */
    async list(): Promise<TonHoldings> {
      const assets: AddressBalances['assets'] = [
        { asset: 'TON' as const, units: String(await unitsOf('TON', address)) },
        { asset: 'USDT' as const, units: String(await unitsOf('USDT', address)) },
      ].filter(({ units }) => units !== '0');
      const held = { account: account.fingerprint, index, address, assets };
      return (await watcher.describeHoldings([held], signal)) as TonHoldings;
    },
    async sign(list: TonHoldings, ...answers: string[]) {
      const now = chain.now();
      return signList({ ...holdingsFile(list), madeAt: now.toISOString() }, [...answers, 'sign'], now);
    },
  };
}

type Wallet = Awaited<ReturnType<typeof open>>;

/** Finds what may be sent, and sends it. */
const send = async (source: SweepSource, sweep: Parameters<SweepSource['find']>[0]) =>
  (await source.find(sweep, signal)) ?? (await source.post(sweep, signal));

/** The token of this chain has other code than USDT, which the operator knows. */
const answersFor = ({ treasury }: Wallet, coin: string) => [walletCodeHash, treasury, coin];

describe.each(['v3', 'v2'])('by a source of version %s', (version) => {
  const openSource = () => open(version === 'v3' ? ton.index.url : ton.node.urlOfV2);

  test('TON arrives from a wallet that its first message deploys, and the second sweep is of the next number', async () => {
    const wallet = await openSource();
    const { source, treasury } = wallet;
    const before = wallet.coinsOfTreasury();
    await wallet.payTon(2n * TON);
    const { sweeps, screen } = await wallet.sign(await wallet.list(), treasury);
    expect(sweeps).toMatchObject([{ to: treasury, units: 2n * TON - TON / 100n, nonce: 0n }]);
    expect(screen).toContain(`fee at most 0.01 TON, transaction 0 of the address, valid until`);
    expect(await send(source, sweeps[0]!)).toBe('TAKEN');
    ton.chain.mine();
    expect(await send(source, sweeps[0]!)).toEqual(succeeded);
    // Less what the treasury's own contract takes.
    expect(wallet.coinsOfTreasury() - before).toBeGreaterThan(sweeps[0]!.units - TON / 1000n);
    expect(wallet.coins()).toBeGreaterThan(0n);
    expect(wallet.coins()).toBeLessThan(TON / 100n);
    await wallet.payTon(TON);
    const second = await wallet.sign(await wallet.list(), treasury);
    expect(second.sweeps).toMatchObject([{ nonce: 1n }]);
    expect(await send(source, second.sweeps[0]!)).toBe('TAKEN');
    ton.chain.mine();
    expect(await send(source, second.sweeps[0]!)).toEqual(succeeded);
    expect(wallet.coins()).toBeLessThan(TON / 50n);
  });

  test('USDT arrives and then TON, what was not used goes to the treasury, and sending again does nothing twice', async () => {
    const wallet = await openSource();
    const { source, treasury } = wallet;
    await wallet.payUsdt(25_000_000n);
    await wallet.payTon(TON);
    const { sweeps } = await wallet.sign(await wallet.list(), ...answersFor(wallet, treasury));
    expect(sweeps).toMatchObject([
      { contract: show(ton.chain.walletOf(wallet.owner)), to: treasury, units: 25_000_000n, nonce: 0n },
      { contract: undefined, to: treasury, units: TON - USDT_FEE - TON / 100n, nonce: 1n },
    ]);
    expect(await send(source, sweeps[0]!)).toBe('TAKEN');
    // A wallet takes one message after the other.
    expect(await send(source, sweeps[1]!)).toBe('EARLY');
    ton.chain.mine();
    expect(await send(source, sweeps[0]!)).toEqual(succeeded);
    expect([await wallet.usdt(), await wallet.usdtOfTreasury()]).toEqual([0n, 25_000_000n]);
    const before = wallet.coinsOfTreasury();
    expect(await send(source, sweeps[1]!)).toBe('TAKEN');
    ton.chain.mine();
    expect(wallet.coinsOfTreasury() - before).toBeGreaterThan(sweeps[1]!.units - TON / 1000n);
    expect(wallet.coins()).toBeLessThan(TON / 50n);
    await wallet.payUsdt(30_000_000n);
    await wallet.payTon(TON);
    const held = wallet.coins();
    for (const sweep of sweeps) {
      expect(await source.find(sweep, signal)).toEqual(succeeded);
      // The source may lie: the contract itself takes no message twice.
      expect(await source.post(sweep, signal)).toBe('KNOWN');
    }
    ton.chain.mine();
    expect([await wallet.usdt(), wallet.coins()]).toEqual([30_000_000n, held]);
  });

  test('an address without enough TON: what the program says is missing suffices, also for a destination without USDT', async () => {
    const wallet = await openSource();
    await wallet.payUsdt(25_000_000n);
    await wallet.payTon(TON / 100n);
    await expect(wallet.sign(await wallet.list(), ...answersFor(wallet, ''))).rejects.toThrow('nothing to sign');
    const other = account.addressOf(lastIndex + 1_000);
    await ton.chain.send({ to: Address.parse(other), value: TON });
    ton.chain.mine();
    const list = await wallet.list();
    list.addresses.push({
      ...list.addresses[0]!,
      index: lastIndex + 1_000,
      address: other,
      assets: [{ asset: 'TON', units: String(TON) }],
    });
    delete list.addresses[1]!.jettonWallet;
    const { screen } = await wallet.sign(list, ...answersFor(wallet, wallet.treasury));
    expect(screen).toContain('the address holds 0.01 TON: send 0.051 TON to it from an address of PAY_TON_FUNDING');
    await wallet.payTon((TON * 51n) / 1000n);
    const { sweeps } = await wallet.sign(await wallet.list(), ...answersFor(wallet, ''));
    const before = wallet.coinsOfTreasury();
    expect(await send(wallet.source, sweeps[0]!)).toBe('TAKEN');
    ton.chain.mine();
    expect(await send(wallet.source, sweeps[0]!)).toEqual(succeeded);
    expect(await wallet.usdtOfTreasury()).toBe(25_000_000n);
    // What was not used.
    expect(wallet.coinsOfTreasury() - before).toBeGreaterThan(TON / 50n);
  });

  test('a list that promises TON which is not there moves nothing: no node takes it, or the fee is lost', async () => {
    const wallet = await openSource();
    await wallet.payUsdt(25_000_000n);
    const lie = await wallet.list();
    lie.addresses[0]!.assets.push({ asset: 'TON', units: String(TON) });
    const { sweeps } = await wallet.sign(lie, ...answersFor(wallet, ''));
    expect(await send(wallet.source, sweeps[0]!)).toEqual({ refusal: expect.stringContaining('exitcode=') });
    await wallet.payTon((TON * 3n) / 100n);
    expect(await send(wallet.source, sweeps[0]!)).toBe('TAKEN');
    ton.chain.mine();
    expect(await send(wallet.source, sweeps[0]!)).toMatchObject({ isSuccessful: false });
    expect(await wallet.usdt()).toBe(25_000_000n);
  });

  test('a wallet of USDT that the issuer has locked since moves nothing, which is reported', async () => {
    const wallet = await openSource();
    await wallet.payUsdt(25_000_000n);
    await wallet.payTon(TON);
    const { sweeps } = await wallet.sign(await wallet.list(), ...answersFor(wallet, ''));
    await ton.chain.send({ to: ton.chain.master, value: TON, body: bodies.lock(wallet.owner, TON / 20n, 1) });
    ton.chain.mine();
    expect(await send(wallet.source, sweeps[0]!)).toBe('TAKEN');
    ton.chain.mine();
    expect(await send(wallet.source, sweeps[0]!)).toMatchObject({ isSuccessful: false });
    expect(await wallet.usdt()).toBe(25_000_000n);
    const note = await wallet.list();
    expect(note.addresses[0]!.notes).toEqual([expect.stringContaining('locked')]);
  });
});

test('an expired message is taken by no contract', async () => {
  const wallet = await open();
  await wallet.payTon(TON);
  const { sweeps } = await wallet.sign(await wallet.list(), wallet.treasury);
  ton.chain.mineAt(sweeps[0]!.expiresAt!.getTime() / 1000 + 1);
  expect(await send(wallet.source, sweeps[0]!)).toEqual({ refusal: expect.stringContaining('exitcode=36') });
  expect(wallet.coins()).toBe(TON);
});

test('another message with the same number is told from ours', async () => {
  const wallet = await open();
  await wallet.payTon(TON);
  const list = await wallet.list();
  const [first, second] = [
    await wallet.sign(list, wallet.treasury),
    await wallet.sign(list, show(ton.chain.bank.address)),
  ];
  expect(await send(wallet.source, first.sweeps[0]!)).toBe('TAKEN');
  ton.chain.mine();
  const answer = { refusal: 'the wallet has sent another message with the number 0' };
  expect(await send(wallet.source, second.sweeps[0]!)).toEqual(answer);
});

test('a source that has not indexed the transaction yet does not get the message again', async () => {
  const wallet = await open();
  await wallet.payUsdt(25_000_000n);
  await wallet.payTon(TON);
  const { sweeps } = await wallet.sign(await wallet.list(), ...answersFor(wallet, ''));
  await send(wallet.source, sweeps[0]!);
  const tokenAccount = ton.chain.walletOf(wallet.owner).toRawString();
  // First neither of the two, then only the wallet's own.
  for (const lacks of [[wallet.owner.toRawString(), tokenAccount], [tokenAccount]]) {
    ton.index.behaviour.lacks = ({ account }) => lacks.includes(account);
    ton.chain.mine();
    expect(await send(wallet.source, sweeps[0]!)).toBe('KNOWN');
  }
  ton.index.behaviour = honest();
  expect(await send(wallet.source, sweeps[0]!)).toEqual(succeeded);
});

test('a source of a test network gets nothing', async () => {
  const wallet = await open();
  await wallet.payTon(TON);
  const { sweeps } = await wallet.sign(await wallet.list(), wallet.treasury);
  ton.index.behaviour.globalId = -3;
  await expect(send(wallet.source, sweeps[0]!)).rejects.toThrow('serves the network -3, not -239');
});

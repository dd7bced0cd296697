/** The chain in memory as one of the suite that every watcher passes: TON, and USDT on it. */
import { Address, beginCell } from '@ton/core';
import { randomBytes } from 'node:crypto';
import { createTonWatcher, type TonWatcherOptions } from '../../../src/payments/chains/ton/ton-watcher.ts';
import { formatTonAddress } from '../../../src/payments/derive/ton-address.ts';
import type { LocalChain, Payout } from '../local-chain.ts';
import { startFacade } from './facade.ts';
import { bodies, walletCodeHash } from './jetton.ts';
import { rawAddress, type Sending, TON, TonChain } from './ton-chain.ts';

export const randomTonAddress = (): string =>
  formatTonAddress({ workchain: 0, account: randomBytes(32).toString('hex') });

/** Of the watcher, for the chain in memory. */
export const optionsFor = (chain: TonChain): Omit<TonWatcherOptions, 'urls'> => ({
  jetton: { master: chain.master.toString(), walletCode: walletCodeHash },
  requestsPerSecond: 1000,
  now: chain.now,
});

async function start() {
  const chain = await TonChain.start();
  const facade = await startFacade(chain);
  /** @returns the id of the last payment: that of the transaction on our account */
  const send = async (messages: readonly Sending[], account: Address): Promise<string> => {
    const transactions = await chain.send(...messages);
    const ours = transactions.findLast(({ address }) => rawAddress(address) === account.toRawString());
    return ours!.hash().toString('hex');
  };
  const base = {
    hasMemoryPool: false,
    showsTransactionOfBatch: true,
    dustUnits: 1n,
    blocksUntilFinal: 1,
    isFinal: ({ block }, { head }) => block!.height <= head.finalizedHeight!,
    isFinalAtOnce: true,
    url: facade.url,
    createWatcher: (urls = [facade.url]) => createTonWatcher({ urls, ...optionsFor(chain) }),
    newAddress: () => Promise.resolve(randomTonAddress()),
    mine: (blocks) => Promise.resolve(chain.mine(blocks)),
    reorganise: neverReorganised,
    includeAgain: neverReorganised,
    end: () => facade.close(),
  } satisfies Partial<LocalChain>;
  return { chain, send, base };
}

const neverReorganised = () => Promise.reject(new Error('the masterchain never reorganises'));

const plain = ({ address, units }: Payout): Sending => ({ to: Address.parse(address), value: units });

export async function startTon(): Promise<LocalChain> {
  const { chain, send, base } = await start();
  const fake = (change: Partial<Sending>) => (address: string) =>
    chain.send({ ...plain({ address, units: TON }), ...change });
  return {
    ...base,
    name: 'TON',
    asset: 'TON',
    units: 25n * TON,
    pay: (...payouts) => send(payouts.map(plain), Address.parse(payouts.at(-1)!.address)),
    fakePayments: {
      'a bounceable message to an address without a contract': fake({ bounce: true }),
      'what a wallet of a token returns': fake({ body: bodies.excesses() }),
      'a small value with a forged notification': fake({
        value: TON / 1000n,
        body: bodies.notification(9_000_000n, chain.bank.address),
      }),
    },
  };
}

export async function startTonUsdt(): Promise<LocalChain> {
  const { chain, send, base } = await start();
  const transfer = ({ address, units }: Payout) => chain.tokenTransfer(Address.parse(address), units);
  const mallory = await chain.blockchain.treasury('mallory');
  return {
    ...base,
    name: 'USDT on TON',
    asset: 'USDT',
    units: 25_000_000n,
    pay: (...payouts) => send(payouts.map(transfer), chain.walletOf(Address.parse(payouts.at(-1)!.address))),
    fakePayments: {
      'a forged transfer to our wallet of the token': (address) =>
        chain.sendFrom(mallory, {
          to: chain.walletOf(Address.parse(address)),
          value: TON,
          bounce: true,
          body: bodies.internalTransfer({ units: 25_000_000n, from: chain.bank.address }),
        }),
      'a transfer of more than the sender has': (address) => chain.send(transfer({ address, units: 10n ** 30n })),
      'a transfer of 0': (address) => chain.send(transfer({ address, units: 0n })),
      'a forged notification without value': (address) =>
        chain.sendFrom(mallory, {
          to: Address.parse(address),
          value: 1n,
          body: bodies.notification(25_000_000n, chain.bank.address),
        }),
      'an empty message to our wallet of the token': (address) =>
        chain.send({ to: chain.walletOf(Address.parse(address)), value: TON, body: beginCell().endCell() }),
    },
  };
}

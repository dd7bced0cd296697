/** The emulator as a chain of the suite that every watcher passes: TRX, and USDT on it. */
import { randomBytes } from 'node:crypto';
import { toHexAddress } from '../../../src/payments/chains/tron/network.ts';
import { createTronWatcher } from '../../../src/payments/chains/tron/tron-watcher.ts';
import { encodeTronAddress } from '../../../src/payments/derive/tron-address.ts';
import type { LocalChain, Payout } from '../local-chain.ts';
import { TronChain } from './chain.ts';
import { encode } from './contracts.ts';
import { startTronNode, type TronNode } from './node.ts';

const BLOCKS_UNTIL_FINAL = 22;
const UNITS = 25_000_000n;

export const randomTronAddress = (): string => encodeTronAddress(Uint8Array.of(0x41, ...randomBytes(20)));

const payout = ({ address, units }: Payout) => ({ to: toHexAddress(address), units });
const one = (address: string) => ({ address, units: UNITS });

/** Sends from the rich account of the chain. */
export function createSender(chain: TronChain) {
  const { bank, contracts } = chain;
  const owner = bank.address;
  const call = (contract: string, data: string, options = {}) =>
    chain.send(bank, { kind: 'CALL', owner, contract, value: 0n, data }, { timeMs: nextTimeMs(), ...options });
  let sent = 0;
  // Otherwise two equal payments would be one transaction.
  const nextTimeMs = () => chain.head.timeMs + (sent += 1);
  return {
    call,
    trx: (to: Payout) => chain.send(bank, { kind: 'TRX', owner, ...payout(to) }, { timeMs: nextTimeMs() }),
    trc10: (asset: string, to: Payout) =>
      chain.send(bank, { kind: 'TRC10', asset, owner, ...payout(to) }, { timeMs: nextTimeMs() }),
    usdt: ({ address, units }: Payout, options = {}) =>
      call(contracts.usdt, encode.transfer(toHexAddress(address), units), options),
    usdtBatch: (...payouts: Payout[]) => call(contracts.payer, encode.payTokens(contracts.usdt, payouts.map(payout))),
    failingUsdtBatch: (...payouts: Payout[]) =>
      call(contracts.payer, encode.payTokensAndFail(contracts.usdt, payouts.map(payout))),
    /** By an internal transaction. */
    trxByContract: (...payouts: Payout[]) => call(contracts.payer, encode.pay(payouts.map(payout))),
    token: (contract: string, { address, units }: Payout) =>
      call(contract, encode.transfer(toHexAddress(address), units)),
  };
}

export type Sender = ReturnType<typeof createSender>;

async function start(): Promise<{ chain: TronChain; node: TronNode; send: Sender; base: BaseChain }> {
  const chain = new TronChain();
  const node = await startTronNode(chain);
  const base = {
    hasMemoryPool: false,
    showsTransactionOfBatch: true,
    units: UNITS,
    dustUnits: 1n,
    blocksUntilFinal: BLOCKS_UNTIL_FINAL,
    isFinal: ({ block }, { head }) => block!.height <= head.finalizedHeight!,
    url: node.url,
    createWatcher: (urls = [node.url]) => createTronWatcher({ urls, now: chain.now, requestsPerSecond: 1000 }),
    newAddress: () => Promise.resolve(randomTronAddress()),
    mine: (blocks) => Promise.resolve(chain.mine(blocks)),
    reorganise: (depth, transactionId) => Promise.resolve(chain.fork(depth, [transactionId])),
    includeAgain(transactionId) {
      chain.includeAgain(transactionId);
      return Promise.resolve(chain.mine());
    },
    end: () => node.close(),
  } satisfies BaseChain;
  return { chain, node, send: createSender(chain), base };
}

type BaseChain = Omit<LocalChain, 'name' | 'asset' | 'pay' | 'fakePayments'>;

export async function startTrx(): Promise<LocalChain> {
  const { chain, send, base } = await start();
  return {
    ...base,
    name: 'TRX',
    asset: 'TRX',
    /** A transaction pays once, so that a batch is several in one block. */
    pay: (...payouts) => Promise.resolve(payouts.map(send.trx).at(-1)!),
    fakePayments: {
      'a token of TRC-10 that is called TRX': async (address) => send.trc10('TRX', one(address)),
      'TRX by an internal transaction, which nothing proves': async (address) => send.trxByContract(one(address)),
      'a transfer of a token': async (address) => send.token(chain.contracts.otherToken, one(address)),
    },
  };
}

export async function startTronUsdt(): Promise<LocalChain> {
  const { chain, send, base } = await start();
  return {
    ...base,
    name: 'USDT on TRON',
    asset: 'USDT',
    pay: (...payouts) => {
      const [first] = payouts;
      return Promise.resolve(payouts.length === 1 ? send.usdt(first!) : send.usdtBatch(...payouts));
    },
    fakePayments: {
      'another contract of the same code': async (address) => send.token(chain.contracts.otherToken, one(address)),
      'a token that only claims to be USDT': async (address) => send.token(chain.contracts.forgedToken, one(address)),
      'a token of TRC-10 that is called USDT': async (address) => send.trc10('USDT', one(address)),
      'a transfer of 0': async (address) => send.usdt({ address, units: 0n }),
      'a transfer of more than the sender has': async (address) => send.usdt({ address, units: 10n ** 40n }),
      'a batch that fails at its end': async (address) => send.failingUsdtBatch(one(address)),
      'a transfer without enough energy': async (address) => send.usdt(one(address), { feeLimit: 1_000_000n }),
    },
  };
}

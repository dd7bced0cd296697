import type { Currency } from '@cellhop/contract/invoices.values';
import type { Random } from '../../../../tools/random.ts';
import { createEvmWatcher } from '../../../src/payments/chains/evm.ts';
import {
  createFakeEvmChain,
  type FakeEther,
  type FakeEvmChain,
  foreignAddress,
  hashOf,
  serveEvm,
} from '../fake-evm.ts';
import { listenHonestly } from '../honest-nodes.ts';
import { startHostileProxy } from '../hostile-proxy.ts';
import { pretends } from '../lies.ts';
import {
  createForks,
  createSwept,
  type Forks,
  type Paid,
  type Plan,
  type RandomChain,
  shuffle,
  START,
} from './random-chain.ts';
import { PATIENT_MS } from '../patience.ts';

const BLOCK_MS = 12_000;
const SAFE_BEHIND = 16;
const FINAL_BEHIND = 32;
const FORK_DEPTH_MAX = 14;
const BLOCKS_UNTIL_FINAL = 80;
const GAS = 21_000n;
const WAITING = Infinity;
const chains = {
  ethereum: { chainId: 1, decimals: 6, usdt: 'USDT_ERC20' },
  bsc: { chainId: 56, decimals: 18, usdt: 'USDT_BSC' },
} as const;

/** Addresses in messages of nodes have lower case. */
const lower = (address: string) => address.toLowerCase();

export async function openRandomEvm(chain: keyof typeof chains, random: Random): Promise<RandomChain> {
  const { chainId, decimals, usdt } = chains[chain];
  const forks = createForks();
  const state = createFakeEvmChain({
    chainId,
    decimals,
    startBalance: 0n,
    foreignTransactions: 2,
    headAt: START,
    forkAt: forks.at,
  });
  const elsewhere = createFakeEvmChain({ chainId: 5, headAt: START, forkAt: () => 'other', headHeight: 1200 });
  const nodes = await listenHonestly(serveEvm(state), serveEvm(elsewhere));
  const liar = await startHostileProxy(nodes.urls[0]!, nodes.elsewhere);
  return {
    ...createPlan(usdt, state, forks, random),
    chain,
    liar,
    liesAbout: (addresses) => {
      const ours = addresses.map(lower);
      return [
        pretends(ours.map((one) => [foreignAddress(0), one])),
        pretends(ours.map((one) => [one, foreignAddress(0)])),
      ];
    },
    createWatcher: () =>
      createEvmWatcher({
        chain,
        urls: shuffle([liar.url, ...nodes.urls.slice(1)], random),
        usdtContract: state.token,
        timeoutMs: PATIENT_MS,
        now: () => state.headAt,
      }),
    async end() {
      nodes.end();
      await liar.close();
    },
  };
}

function createPlan(usdt: 'USDT_ERC20' | 'USDT_BSC', state: FakeEvmChain, forks: Forks, random: Random): Plan {
  const swept = createSwept();
  /** As they are shown, by lower case. */
  const shown = new Map<string, string>();
  const all = () => [...state.transfers, ...state.ether];

  function move(blocks: number): void {
    state.headHeight += blocks;
    state.headAt = new Date(state.headAt.getTime() + blocks * BLOCK_MS);
    state.safeHeight = state.headHeight - SAFE_BEHIND;
    state.finalizedHeight = state.headHeight - FINAL_BEHIND;
  }
  function include(percent: number, from: number, blocks: number): void {
    for (const one of all())
      if (one.height === WAITING && random.below(100) < percent) one.height = from + random.below(blocks);
  }

  return {
    swept,
    pay({ currency, address, units }) {
      const to = lower(address);
      shown.set(to, address);
      if (currency === usdt) state.transfers.push({ height: WAITING, to, units });
      else state.ether.push({ height: WAITING, from: foreignAddress(2), to, units, isInternal: random.below(5) === 0 });
      return Promise.resolve();
    },
    advance() {
      const blocks = 5 + random.below(20);
      include(70, state.headHeight + 1, blocks);
      move(blocks);
    },
    fork() {
      const from = state.headHeight - random.below(FORK_DEPTH_MAX);
      for (const one of all()) if (one.height >= from) one.height = WAITING;
      include(60, from, state.headHeight + 2 - from);
      forks.begin(from);
      move(1);
    },
    sweep(currency, address) {
      const units = sweepNext(state, lower(address), currency === usdt);
      swept.add({ currency, address, units });
      return Promise.resolve();
    },
    makeFinal() {
      include(100, state.headHeight + 1, 1);
      move(BLOCKS_UNTIL_FINAL);
    },
    paid: () => [...tokensPaid(state.transfers, usdt, shown), ...etherPaid(state.ether, shown)],
  };
}

/** Takes what was received in final blocks and not swept yet. @returns with the fee */
function sweepNext(state: FakeEvmChain, from: string, isToken: boolean): bigint {
  const moves: readonly { height: number; from?: string; to: string; units: bigint }[] = isToken
    ? state.transfers
    : state.ether;
  const sent = moves.filter((one) => one.from === from);
  const received = moves.filter(({ to, height }) => to === from && height <= state.finalizedHeight);
  const fees = isToken ? 0n : GAS * BigInt(sent.length);
  const fee = isToken ? 0n : GAS;
  const units = sum(received) - sum(sent) - fees;
  if (units <= fee) return 0n;
  const next = { height: state.headHeight + 1, from, to: foreignAddress(1), units: units - fee };
  if (isToken) state.transfers.push(next);
  else state.ether.push(next);
  return units;
}

const sum = (moves: readonly { units: bigint }[]): bigint => moves.reduce((total, { units }) => total + units, 0n);

function tokensPaid(
  transfers: FakeEvmChain['transfers'],
  currency: Currency,
  shown: ReadonlyMap<string, string>,
): Paid[] {
  return transfers.flatMap(({ to, units }, index) => {
    const address = shown.get(to);
    return address === undefined ? [] : [{ currency, address, units, transactionId: hashOf(`transfer ${index}`) }];
  });
}

/** What contracts have sent to an address in one block is one payment. */
function etherPaid(ether: readonly FakeEther[], shown: ReadonlyMap<string, string>): Paid[] {
  const internal = new Map<string, Paid>();
  const direct: Paid[] = [];
  for (const [index, { height, to, units, isInternal = false }] of ether.entries()) {
    const address = shown.get(to);
    if (address === undefined) continue;
    if (!isInternal) direct.push({ currency: 'ETH', address, units, transactionId: hashOf(`ether ${index}`) });
    else {
      const known = internal.get(`${height} ${to}`)?.units ?? 0n;
      internal.set(`${height} ${to}`, { currency: 'ETH', address, units: units + known, transactionId: undefined });
    }
  }
  return [...direct, ...internal.values()];
}

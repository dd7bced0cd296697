/** What addresses hold at a block. No source keeps older states, and answers name no block. */
import { setTimeout } from 'node:timers/promises';
import { type Balances, ChainUnavailable } from '../watcher.ts';
import type { Accounts } from './accounts.ts';
import { parseJettonState } from './jetton-wallet.ts';
import { agreedBlock } from './poll.ts';
import { type AccountState, failOf, type MasterBlock, type TonSource } from './source.ts';

/** Version 2 is asked for one account after the other, ten in a second. */
export const BALANCE_LIMITS = { addressesMax: 300, timeMs: 120_000 };
const ATTEMPTS = 3;
const SECOND_MS = 1000;
/** Sources may be some blocks apart. */
const WAITS_MAX = 30;

/**
 * One source is read before a block and the other one after it: what is the same then is the balance at this block, as both know it. If anything
 * has moved meanwhile, all are read again.
 * @param asset USDT; any other is TON
 * @throws ChainUnavailable if the sources differ even then
 */
export async function readBalances(
  sources: readonly TonSource[],
  accounts: ReadonlyMap<string, Accounts>,
  asset: string,
  signal: AbortSignal,
): Promise<Balances> {
  const account = ({ owner, wallet }: Accounts) => (asset === 'USDT' ? wallet : owner);
  const wanted = [...accounts.values()].map(account);
  const [first, second = first] = sources as [TonSource, TonSource?];
  let differing: string | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = await first.states(wanted, signal);
    const { seqno: height, time } = await nextBlock(sources, signal);
    const after = await second.states(wanted, signal);
    const units = new Map<string, bigint>();
    differing = undefined;
    for (const [address, each] of accounts) {
      units.set(address, unitsOf(asset, after.get(account(each))));
      if (units.get(address) !== unitsOf(asset, before.get(account(each)))) differing ??= address;
    }
    if (differing === undefined) return { height, time, units };
  }
  const names = sources.map(({ transport }) => transport.name).join(' and ');
  throw new ChainUnavailable('DISAGREEING', `${names} disagree about what ${differing} holds`);
}

/** The newest one that any of them has, once all have it. */
async function nextBlock(sources: readonly TonSource[], signal: AbortSignal): Promise<MasterBlock> {
  let seqno: number | undefined;
  for (let waits = 0; waits < WAITS_MAX; waits += 1) {
    if (waits > 0) await setTimeout(SECOND_MS, undefined, { signal }).catch(() => undefined);
    const heads = await Promise.all(sources.map(async (source) => (await source.head(signal)).seqno));
    seqno ??= Math.max(...heads);
    if (Math.min(...heads) >= seqno) return agreedBlock(sources, seqno, signal);
  }
  throw failOf(sources[0]!, 'LAGGING', `or another source does not have block ${seqno}`);
}

function unitsOf(asset: string, state: AccountState | undefined): bigint {
  if (asset !== 'USDT') return state?.balance ?? 0n;
  return state?.data === undefined ? 0n : parseJettonState(state.data).units;
}

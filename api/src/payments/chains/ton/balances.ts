/** What addresses hold now. No source keeps older states, so that two of them may differ while a payment arrives. */
import { ChainUnavailable } from '../watcher.ts';
import type { Accounts } from './accounts.ts';
import { parseJettonState } from './jetton-wallet.ts';
import type { AccountState, TonSource } from './source.ts';

/** Version 2 is asked for one account after the other, ten in a second. */
export const BALANCE_LIMITS = { addressesMax: 300, timeMs: 120_000 };
const ATTEMPTS = 3;

/** @param asset USDT; any other is TON @throws ChainUnavailable if the sources differ, even when they are asked again */
export async function readBalances(
  sources: readonly TonSource[],
  accounts: ReadonlyMap<string, Accounts>,
  asset: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, bigint>> {
  const account = ({ owner, wallet }: Accounts) => (asset === 'USDT' ? wallet : owner);
  const balances = new Map<string, bigint>();
  let missing = [...accounts];
  for (let attempt = 1; attempt <= ATTEMPTS && missing.length > 0; attempt += 1) {
    const wanted = missing.map(([, each]) => account(each));
    const [first, ...others] = await Promise.all(sources.map((source) => source.states(wanted, signal)));
    missing = missing.filter(([address, each]) => {
      const [units, ...rest] = [first!, ...others].map((states) => unitsOf(asset, states.get(account(each))));
      const isAgreed = rest.every((other) => other === units);
      if (isAgreed) balances.set(address, units!);
      return !isAgreed;
    });
  }
  if (missing.length === 0) return balances;
  const names = sources.map(({ transport }) => transport.name).join(' and ');
  throw new ChainUnavailable('DISAGREEING', `${names} disagree about what ${missing[0]![0]} holds`);
}

function unitsOf(asset: string, state: AccountState | undefined): bigint {
  if (asset !== 'USDT') return state?.balance ?? 0n;
  return state?.data === undefined ? 0n : parseJettonState(state.data).units;
}

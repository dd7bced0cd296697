/** What a signature of a sweep needs from TON: the number of the wallet's next message, its state, and where its tokens are. */
import type { ChainHoldings, AddressBalances } from '../../holdings-file.ts';
import { nextSeqno } from '../../sweep/ton-wallet.ts';
import { ChainUnavailable } from '../watcher.ts';
import type { Accounts } from './accounts.ts';
import { parseJettonState } from './jetton-wallet.ts';
import type { AccountState, TonSource } from './source.ts';

const CANNOT_SEND = 1;

type TonHoldings = Extract<ChainHoldings, { chain: 'ton' }>;

/** @throws ChainUnavailable if the sources differ */
export async function describeTonHoldings(
  sources: readonly TonSource[],
  accounts: ReadonlyMap<string, Accounts>,
  held: readonly AddressBalances[],
  master: string,
  signal: AbortSignal,
): Promise<TonHoldings> {
  const wanted = held.flatMap(({ address }) => Object.values(accounts.get(address)!) as string[]);
  const [states, ...others] = await Promise.all(sources.map((source) => source.states(wanted, signal)));
  return {
    chain: 'ton',
    addresses: held.map((each) => {
      const { owner, wallet } = accounts.get(each.address)!;
      const described = describe(states!.get(owner), states!.get(wallet));
      for (const other of others) {
        if (JSON.stringify(describe(other.get(owner), other.get(wallet))) === JSON.stringify(described)) continue;
        const names = sources.map(({ transport }) => transport.name).join(' and ');
        throw new ChainUnavailable('DISAGREEING', `${names} disagree about the wallet ${each.address}`);
      }
      const assets = each.assets.map((asset) => (asset.asset === 'USDT' ? { ...asset, contract: master } : asset));
      return { ...each, assets, ...described, jettonWallet: wallet };
    }),
  };
}

function describe(owner: AccountState | undefined, wallet: AccountState | undefined) {
  const state = owner?.status ?? 'UNINITIALIZED';
  const isLocked = wallet?.data !== undefined && (parseJettonState(wallet.data).status & CANNOT_SEND) !== 0;
  return {
    state,
    seqno: nextSeqno(state === 'ACTIVE' ? owner?.data : undefined),
    notes: isLocked ? ['The issuer of USDT has locked this address: its USDT cannot be sent.'] : [],
  };
}

/** The two accounts of each watched address: the owner's own, and the one that holds the owner's tokens. */
import type { WatchedAccounts } from './acceptance.ts';
import type { Jetton } from './jetton.ts';
import { deriveJettonWallet, toAccount } from './jetton-wallet.ts';

export interface Accounts {
  owner: string;
  wallet: string;
}

/** Derives the accounts of each address once, as long as it is watched. */
export function createAccountsCache(jetton: Jetton) {
  let known = new Map<string, Accounts>();
  return {
    of(address: string): Accounts {
      return known.get(address) ?? derive(address, jetton);
    },
    /** Forgets all other addresses. */
    keep(addresses: Iterable<string>): ReadonlyMap<string, Accounts> {
      known = new Map([...addresses].map((address) => [address, this.of(address)]));
      return known;
    },
  };
}

export type AccountsCache = ReturnType<typeof createAccountsCache>;

function derive(address: string, jetton: Jetton): Accounts {
  return { owner: toAccount(address), wallet: deriveJettonWallet(address, jetton) };
}

export function toWatched(
  accounts: ReadonlyMap<string, Accounts>,
  jetton: Jetton,
  fundingAccounts: ReadonlySet<string>,
): WatchedAccounts {
  return {
    owners: new Map([...accounts].map(([address, { owner }]) => [owner, address])),
    wallets: new Map([...accounts].map(([address, { wallet }]) => [wallet, address])),
    jetton,
    fundingAccounts,
  };
}

/** Links to public block explorers, for payers. The server never calls them. */
import type { Chain } from './currencies.ts';

const transactionPages: Record<Chain, string> = {
  bitcoin: 'https://mempool.space/tx/',
  litecoin: 'https://litecoinspace.org/tx/',
  ethereum: 'https://etherscan.io/tx/',
  bsc: 'https://bscscan.com/tx/',
  tron: 'https://tronscan.org/#/transaction/',
  ton: 'https://tonviewer.com/transaction/',
};

/** On all chains: hashes in hexadecimal. Payments without a transaction have other ids, such as `balance:<height>:<address>`. */
const TRANSACTION_ID = /^(?:0x)?[0-9a-f]{64}$/i;

/** @returns null if no page shows the payment */
export function explorerUrl(chain: Chain, transactionId: string): string | null {
  return TRANSACTION_ID.test(transactionId) ? transactionPages[chain] + transactionId : null;
}

/** Public block explorers, for payers. The program itself never asks them. */
import type { Chain } from './currencies.ts';

const transactionPages: Record<Chain, string> = {
  bitcoin: 'https://mempool.space/tx/',
  litecoin: 'https://litecoinspace.org/tx/',
  ethereum: 'https://etherscan.io/tx/',
  bsc: 'https://bscscan.com/tx/',
  tron: 'https://tronscan.org/#/transaction/',
  ton: 'https://tonviewer.com/transaction/',
};

/** Of all chains: hashes in hexadecimal digits. What no transaction shows has another id, such as `balance:<height>:<address>`. */
const TRANSACTION_ID = /^(?:0x)?[0-9a-f]{64}$/i;

/** @returns null if no page shows the payment */
export function explorerUrl(chain: Chain, transactionId: string): string | null {
  return TRANSACTION_ID.test(transactionId) ? transactionPages[chain] + transactionId : null;
}

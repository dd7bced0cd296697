/** The wallet of USDT of an address of TON: a contract of its own, which is asked for the transfer. */
import { type Jetton, USDT } from '../chains/ton/jetton.ts';
import { deriveJettonWallet } from '../chains/ton/jetton-wallet.ts';
import { formatTonAddress, parseTonAddress } from '../derive/ton-address.ts';

/** @returns in the form in which all addresses of TON are shown */
export function tokenWalletOf(owner: string, jetton: Jetton): string {
  return formatTonAddress(parseTonAddress(deriveJettonWallet(owner, jetton))!);
}

/** @returns the contract of USDT if that is its wallet of the owner, else the wallet itself, as nothing else of its token is known */
export function nameTokenOf(owner: string, tokenWallet: string): string {
  return tokenWallet === tokenWalletOf(owner, USDT) ? USDT.master : tokenWallet;
}

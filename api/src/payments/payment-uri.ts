/**
 * What the QR code of an invoice contains. URIs only where wallets agree on them; for tokens it is the plain address, because a scanner
 * that takes the first address of a URI would send to the token's contract.
 */
import type { Currency } from '@cellhop/contract/invoices';
import { formatUnits } from './amounts.ts';
import { currencyRules } from './currencies.ts';

/** BIP21, which Litecoin uses too. */
const schemes: Partial<Record<Currency, string>> = { BTC: 'bitcoin', LTC: 'litecoin' };

/** EIP-681, which some wallets open; none for tokens, for the reason above. @param units still due */
export function toWalletUri(currency: Currency, address: string, units: bigint): string | null {
  return currency === 'ETH' && address !== '' && units > 0n ? `ethereum:${address}@1?value=${units}` : null;
}

/** @param units still due */
export function toPaymentUri(currency: Currency, address: string, units: bigint): string {
  const scheme = schemes[currency];
  if (scheme === undefined || address === '') return address;
  return units > 0n
    ? `${scheme}:${address}?amount=${formatUnits(units, currencyRules[currency])}`
    : `${scheme}:${address}`;
}

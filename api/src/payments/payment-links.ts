/**
 * What the QR code of an invoice contains, and the link that opens a wallet. Amounts are those that are still due, exact and with the
 * decimals of the asset.
 */
import type { Currency } from '@cellhop/contract/invoices.values';
import { formatUnits } from './amounts.ts';
import { type ChainWith, descriptors, has } from './chains/descriptors.ts';
import { currencyRules, type Chain } from './currencies.ts';

export interface PaymentRequest {
  currency: Currency;
  /** Empty if it must not be shown. */
  address: string;
  /** Still due; 0n if nothing is. */
  units: bigint;
  expiredAt: Date;
}

/** The contracts of USDT, as wallets know them; on TON that of its issuer. */
export type TokenContracts = Record<ChainWith<'token'>, string>;

/**
 * A URI only where scanners agree on it. For ether and tokens on Ethereum and BSC it is the plain address, because a scanner that takes the
 * first address of an EIP-681 URI would send to the token's contract; for TRON too, because TronLink's scanner rejects `tron:`.
 */
export function toPaymentUri(request: PaymentRequest, contracts: TokenContracts): string {
  if (request.address === '') return '';
  return toScannedUri(request, contracts) ?? request.address;
}

/** @returns null if no wallet knows such a link, or nothing is due */
export function toWalletUri(request: PaymentRequest, contracts: TokenContracts): string | null {
  const { currency, address, units } = request;
  if (address === '' || units === 0n) return null;
  const { chain, isStable } = currencyRules[currency];
  if (!has(chain, 'evm')) return toScannedUri(request, contracts) ?? null;
  const { chainId } = descriptors[chain].evm;
  return isStable
    ? `ethereum:${contracts[chain]}@${chainId}/transfer?address=${address}&uint256=${units}`
    : `ethereum:${address}@${chainId}?value=${units}`;
}

/** BIP21, which Litecoin uses too, and the deep links of TON. */
function toScannedUri(
  { currency, address, units, expiredAt }: PaymentRequest,
  contracts: TokenContracts,
): string | undefined {
  const amount = units > 0n ? formatUnits(units, currencyRules[currency]) : undefined;
  const { utxo } = descriptors[currencyRules[currency].chain];
  if (utxo) return withQuery(`${utxo.uriScheme}:${address}`, { amount });
  const exp = String(Math.floor(expiredAt.getTime() / 1000));
  const due = units > 0n ? { amount: String(units), exp } : {};
  if (currency === 'TON') return withQuery(`ton://transfer/${address}`, due);
  if (currency === 'USDT_TON') return withQuery(`ton://transfer/${address}`, { jetton: contracts.ton, ...due });
  return undefined;
}

function withQuery(uri: string, parameters: Record<string, string | undefined>): string {
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  return query.length === 0 ? uri : `${uri}?${query.join('&')}`;
}

/** On all chains: hashes in hexadecimal. Payments without a transaction have other ids, such as `balance:<height>:<address>`. */
const TRANSACTION_ID = /^(?:0x)?[0-9a-f]{64}$/i;

/** A link to a public block explorer, for payers; the server never calls it. @returns null if no page shows the payment */
export function explorerUrl(chain: Chain, transactionId: string): string | null {
  return TRANSACTION_ID.test(transactionId) ? descriptors[chain].transactionPage + transactionId : null;
}

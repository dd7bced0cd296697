/** What each family of chains does for the offline program: one file each implements it. */
import { formatUnits } from '../amounts.ts';
import { addressSpaces } from '../currencies.ts';
import { describeIndex } from '../derive/addresses.ts';
import { networks } from './networks.ts';
import type { Sweep, SweepChain } from './sweep.ts';

/** An address of the list that was derived again from the seed words, with what the list says that it holds. */
export interface OwnAddress {
  index: number;
  address: string;
  coinUnits: bigint;
  usdtUnits: bigint;
}

/** Typed on the machine with the keys. Undefined: this asset stays. */
export interface Destinations {
  coin: string | undefined;
  usdt: string | undefined;
}

export interface PlannedSweep extends Sweep {
  index: number;
  asset: 'coin' | 'usdt';
  /** Of the coin; with everything that the transaction can cost. */
  feeMaxUnits: bigint;
  /** @returns the signed transaction */
  sign: (privateKey: Uint8Array) => string;
}

/** An asset is left where it is if more than half of it could be its fee. */
export const FEE_SHARE_MAX = 2n;
/** The list may be this much newer than the clock of the machine with the keys says. */
export const CLOCK_ERROR_MS = 3_600_000;

export interface LeftOut {
  chain: SweepChain;
  index: number;
  address: string;
  asset: 'coin' | 'usdt';
  units: bigint;
  /** What is missing, for the operator. */
  reason: string;
}

export interface Plan {
  sweeps: PlannedSweep[];
  leftOut: LeftOut[];
}

/** The list does not say what this program expects, so nothing of it is signed. */
export class ListRefused extends Error {
  override readonly name = 'ListRefused';
}

/** Which of the addresses of the seed words it is. */
export function describePlace(chain: SweepChain, index: number): string {
  const place = describeIndex(addressSpaces[chain], BigInt(index));
  return chain === 'ton' ? `wallet ${place}` : place;
}

/** Such as `12.50 USDT`. */
export function formatAsset(chain: SweepChain, asset: 'coin' | 'usdt', units: bigint): string {
  const { coin, coinDecimals, usdtDecimals } = networks[chain];
  const [name, decimals] = asset === 'coin' ? [coin, coinDecimals] : ['USDT', usdtDecimals];
  return `${formatUnits(units, { decimals, displayDecimals: 2 })} ${name}`;
}

/** @returns why the fee is more than USDT are worth; undefined if it is not */
export function findHighShare(chain: SweepChain, usdtUnits: bigint, feeMaxUnits: bigint): string | undefined {
  const { coinWorth, coinDecimals } = networks[chain];
  const feeWorth = (feeMaxUnits * coinWorth) / 10n ** BigInt(coinDecimals);
  if (usdtUnits >= FEE_SHARE_MAX * feeWorth) return undefined;
  return `the fee may be ${formatAsset(chain, 'coin', feeMaxUnits)}, which is not worth it`;
}

/** @throws ListRefused if a list makes a transaction cost more than this program allows */
export function refuseHighFee(chain: SweepChain, feeMaxUnits: bigint): void {
  const { title, feeMaxUnits: ceiling } = networks[chain];
  if (feeMaxUnits <= ceiling) return;
  const [asked, allowed] = [feeMaxUnits, ceiling].map((units) => formatAsset(chain, 'coin', units));
  throw new ListRefused(
    `On ${title} the list allows a fee of ${asked} for one transaction. This program allows ${allowed} at most: make a new list when fees are lower.`,
  );
}

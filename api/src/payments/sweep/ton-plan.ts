/** Sweeps of TON. The first message of an address deploys its wallet; a transfer of USDT carries the TON that pays for it. */
import { formatTonAddress, parseTonAddress } from '../derive/ton-address.ts';
import type { Jetton } from '../chains/ton/jetton.ts';
import { networks } from './networks.ts';
import {
  CLOCK_ERROR_MS,
  type Destinations,
  FEE_SHARE_MAX,
  findHighShare,
  formatAsset,
  type LeftOut,
  ListRefused,
  type OwnAddress,
  type Plan,
  type PlannedSweep,
  refuseHighFee,
} from './plan.ts';
import { signTonMessage, type TonMessage, type TonOrder } from './ton-message.ts';
import { nameTokenOf, tokenWalletOf } from './ton-token.ts';

/** A wallet that is not deployed needs 0.006 TON for one message. */
const WALLET_FEE = 10_000_000n;
/** A transfer of USDT uses 0.01 TON if the destination has a wallet of USDT; one that has to be deployed keeps some. The rest is returned. */
const ATTACHED = 50_000_000n;
/** What an address may lose until it is topped up, as contracts pay for their storage. */
const STORAGE = 1_000_000n;
/** A message that was not sent within a day should not be valid any more. */
const VALID_MS = 23 * 3_600_000;
const SEQNO_MAX = 2 ** 32 - 2;

interface TonAddress extends OwnAddress {
  seqno: number;
  state: 'ACTIVE' | 'UNINITIALIZED' | 'FROZEN';
}

export interface TonPlanRequest {
  /** 64 hexadecimal digits. */
  publicKey: string;
  addresses: readonly TonAddress[];
  /** When the list was made. */
  listedAt: Date;
  destinations: Destinations;
  usdt: Jetton;
  now: Date;
}

/** @returns the form in which addresses are shown; undefined without a valid checksum, or if it is none of an ordinary account */
export function parseTonDestination(text: string): string | undefined {
  // The raw form has no checksum.
  const address = text.includes(':') ? undefined : parseTonAddress(text);
  const isAccount = address?.workchain === 0 && BigInt(`0x${address.account}`) !== 0n;
  return isAccount ? formatTonAddress(address) : undefined;
}

/** @throws ListRefused */
export function planTon(request: TonPlanRequest): Plan {
  const expiresAt = findExpiry(request);
  refuseHighFee('ton', ATTACHED + WALLET_FEE);
  const plan: Plan = { sweeps: [], leftOut: [] };
  for (const own of request.addresses) planAddress(request, expiresAt, own, plan);
  return plan;
}

function findExpiry({ listedAt, now }: TonPlanRequest): Date {
  const seconds = Math.floor((listedAt.getTime() + VALID_MS) / 1000);
  const expiresAt = new Date(seconds * 1000);
  if (listedAt.getTime() > now.getTime() + CLOCK_ERROR_MS || expiresAt <= now)
    throw new ListRefused(
      `The list of TON is of ${listedAt.toISOString()}, and the clock of this machine says ${now.toISOString()}. ` +
        'Messages would be valid for 23 hours after the list: make a new list, or set the clock.',
    );
  return expiresAt;
}

function planAddress(request: TonPlanRequest, expiresAt: Date, own: TonAddress, plan: Plan): void {
  const { destinations } = request;
  const { index, address, usdtUnits } = own;
  let { coinUnits, seqno } = own;
  if (seqno > SEQNO_MAX)
    throw new ListRefused(`The list says that ${address} has sent ${seqno} messages, which cannot be.`);
  const leave = (asset: LeftOut['asset'], units: bigint, reason: string) =>
    plan.leftOut.push({ chain: 'ton', index, address, asset, units, reason });
  const isFrozen = own.state === 'FROZEN';
  if (destinations.usdt !== undefined && usdtUnits > 0n) {
    const highShare = findHighShare('ton', usdtUnits, ATTACHED + WALLET_FEE);
    if (isFrozen) leave('usdt', usdtUnits, FROZEN);
    else if (highShare !== undefined) leave('usdt', usdtUnits, highShare);
    else if (coinUnits < ATTACHED + WALLET_FEE) leave('usdt', usdtUnits, describeMissingFee(coinUnits));
    else {
      plan.sweeps.push(toUsdtSweep(request, expiresAt, own, destinations.usdt));
      coinUnits -= ATTACHED + WALLET_FEE;
      seqno += 1;
    }
  }
  if (destinations.coin === undefined || coinUnits === 0n) return;
  if (isFrozen) leave('coin', coinUnits, FROZEN);
  else if (coinUnits < FEE_SHARE_MAX * WALLET_FEE)
    leave('coin', coinUnits, 'after the fees nothing worth a transaction is left');
  else plan.sweeps.push(toCoinSweep(request, expiresAt, { ...own, coinUnits, seqno }, destinations.coin));
}

const FROZEN = 'its contract is frozen, which this program cannot undo';

function describeMissingFee(coinUnits: bigint): string {
  const needed = ATTACHED + WALLET_FEE;
  const [all, held, missing] = [needed, coinUnits, needed - coinUnits + STORAGE].map((units) =>
    formatAsset('ton', 'coin', units),
  );
  return (
    `the transfer needs ${all}, of which the destination gets back what is not used, and the address holds ${held}: ` +
    `send ${missing} to it from an address of ${networks.ton.fundingSetting}`
  );
}

function toUsdtSweep(request: TonPlanRequest, expiresAt: Date, own: TonAddress, to: string): PlannedSweep {
  const tokenWallet = tokenWalletOf(own.address, request.usdt);
  const units = own.usdtUnits;
  const moved = { asset: 'usdt', contract: nameTokenOf(own.address, tokenWallet), feeLimitUnits: ATTACHED } as const;
  return toSweep(request, expiresAt, own, { kind: 'TOKEN', tokenWallet, to, units, attachedUnits: ATTACHED }, moved);
}

function toCoinSweep(request: TonPlanRequest, expiresAt: Date, own: TonAddress, to: string): PlannedSweep {
  const moved = { asset: 'coin', contract: undefined, feeLimitUnits: 0n } as const;
  return toSweep(request, expiresAt, own, { kind: 'TRANSFER', to, units: own.coinUnits - WALLET_FEE }, moved);
}

function toSweep(
  { publicKey }: TonPlanRequest,
  expiresAt: Date,
  { index, address, seqno }: TonAddress,
  order: TonOrder,
  moved: Pick<PlannedSweep, 'asset' | 'contract' | 'feeLimitUnits'>,
): PlannedSweep {
  const message: TonMessage = { publicKey, index: BigInt(index), seqno: BigInt(seqno), expiresAt, order };
  const { to, units } = order;
  return {
    chain: 'ton',
    index,
    from: address,
    to,
    units,
    ...moved,
    nonce: message.seqno,
    expiresAt,
    feeMaxUnits: moved.feeLimitUnits + WALLET_FEE,
    sign: (seed) => signTonMessage(message, seed),
  };
}

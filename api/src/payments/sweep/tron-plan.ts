/** Sweeps of TRON. A fee is energy and bandwidth, which an address has, rents, or pays for by burning its TRX. */
import { decodeTronAddress } from '../derive/tron-address.ts';
import { networks } from './networks.ts';
import {
  CLOCK_ERROR_MS,
  type Destinations,
  FEE_SHARE_MAX,
  findHighShare,
  formatAsset,
  ListRefused,
  type LeftOut,
  type OwnAddress,
  type Plan,
  type PlannedSweep,
  refuseHighFee,
} from './plan.ts';
import { encodeTokenCall } from './token-call.ts';
import { bandwidthOf, signTronTransaction, type TronTransaction } from './tron-transaction.ts';

/** A transfer of USDT to an address that holds some takes 64,285, to another one 130,285. */
const ENERGY_TO_HOLDER = 65_000n;
const ENERGY_TO_NEW_HOLDER = 131_000n;
/**
 * Java-tron multiplies the energy of contracts in much use by up to 1 + this / 10,000 (dynamic energy model). USDT is always at the network's
 * maximum, which was this one for the numbers above. A vote can raise it: the list says so, but cannot lower it, as the fee would be burnt in vain.
 */
const ENERGY_FACTOR = 34_000n;
/** Java-tron accepts no vote above it. */
const ENERGY_FACTOR_MAX = 100_000n;
const FACTOR_UNIT = 10_000n;
/** Sun. A fee limit below the price of the network would burn what it allows and move nothing, so the list cannot lower it. */
const ENERGY_PRICE_MIN = 100n;
/** Java-tron refuses more than 24 hours after its newest block. */
const VALID_MS = 23 * 3_600_000;
const BLOCK_ID_BYTES = 32;

interface TronAddress extends OwnAddress {
  isActivated: boolean;
  /** What it has, without burning TRX. */
  energy: number;
  bandwidth: number;
}

export interface TronPlanRequest {
  addresses: readonly TronAddress[];
  referenceBlock: { height: number; id: string; time: string };
  /** Sun. */
  fee: { energyPrice: bigint; bandwidthPrice: bigint; energyFactor: bigint };
  destinations: Destinations;
  /** Whether the destination of USDT holds some already. */
  isHolder: boolean;
  usdtContract: string;
  now: Date;
}

type Frame = Pick<TronTransaction, 'refBlockBytes' | 'refBlockHash' | 'expiresAt' | 'madeAt'>;

/** @returns undefined if it is no address of TRON */
export function parseTronDestination(text: string): string | undefined {
  const bytes = decodeTronAddress(text);
  return bytes?.subarray(1).some((byte) => byte !== 0) ? text : undefined;
}

/** @throws ListRefused */
export function planTron(request: TronPlanRequest): Plan {
  const frame = readReference(request);
  const plan: Plan = { sweeps: [], leftOut: [] };
  for (const own of request.addresses) planAddress(request, frame, own, plan);
  return plan;
}

function readReference({ referenceBlock, now }: TronPlanRequest): Frame {
  const id = Buffer.from(referenceBlock.id, 'hex');
  if (id.length !== BLOCK_ID_BYTES || id.readBigUInt64BE() !== BigInt(referenceBlock.height))
    throw new ListRefused('The reference block of TRON has another number than its id says.');
  const madeAt = new Date(referenceBlock.time);
  const expiresAt = new Date(madeAt.getTime() + VALID_MS);
  if (madeAt.getTime() > now.getTime() + CLOCK_ERROR_MS || expiresAt <= now)
    throw new ListRefused(
      `The reference block of TRON is of ${madeAt.toISOString()}, and the clock of this machine says ${now.toISOString()}. ` +
        'Transactions would be valid for 23 hours after the block: make a new list, or set the clock.',
    );
  return { refBlockBytes: id.subarray(6, 8), refBlockHash: id.subarray(8, 16), expiresAt, madeAt };
}

function planAddress(request: TronPlanRequest, frame: Frame, own: TronAddress, plan: Plan): void {
  const { destinations } = request;
  const leave = (asset: LeftOut['asset'], units: bigint, reason: string) =>
    plan.leftOut.push({ chain: 'tron', index: own.index, address: own.address, asset, units, reason });
  let { coinUnits, bandwidth } = own;
  if (destinations.usdt !== undefined && own.usdtUnits > networks.tron.usdtUnitsLeft) {
    const sweep = toUsdtSweep(request, frame, own, destinations.usdt);
    const cost = costOfUsdt(request, own, sweep.bandwidth);
    const highShare = findHighShare('tron', own.usdtUnits, cost.units);
    if (highShare !== undefined) leave('usdt', own.usdtUnits, highShare);
    else if (coinUnits < cost.units) leave('usdt', own.usdtUnits, describeMissingFee(own, cost));
    else {
      plan.sweeps.push(sweep.sweep);
      coinUnits -= sweep.sweep.feeMaxUnits;
      bandwidth = 0;
    }
  }
  if (destinations.coin === undefined || own.coinUnits === 0n) return;
  const { sweep, feeUnits } = toCoinSweep(request, frame, { ...own, coinUnits, bandwidth }, destinations.coin);
  if (sweep.units <= 0n || coinUnits < FEE_SHARE_MAX * feeUnits)
    leave('coin', own.coinUnits, 'after the fees nothing worth a transaction is left');
  else plan.sweeps.push(sweep);
}

interface Cost {
  /** Sun to burn, as far as the resources of the address do not suffice. */
  units: bigint;
  energy: bigint;
  bandwidth: number;
}

const energyPriceOf = ({ fee: { energyPrice } }: TronPlanRequest) =>
  energyPrice > ENERGY_PRICE_MIN ? energyPrice : ENERGY_PRICE_MIN;

/** Rounded up. @throws ListRefused */
function energyOf({ fee: { energyFactor } }: TronPlanRequest, known: bigint): bigint {
  if (energyFactor <= ENERGY_FACTOR) return known;
  if (energyFactor > ENERGY_FACTOR_MAX)
    throw new ListRefused(
      `The list says that energy on TRON is multiplied by a factor of ${energyFactor}, which cannot be.`,
    );
  const unit = FACTOR_UNIT + ENERGY_FACTOR;
  return (known * (FACTOR_UNIT + energyFactor) + unit - 1n) / unit;
}

function costOfUsdt(request: TronPlanRequest, own: TronAddress, bandwidth: number): Cost {
  const energy = energyOf(request, request.isHolder ? ENERGY_TO_HOLDER : ENERGY_TO_NEW_HOLDER);
  const missing = energy - BigInt(own.energy);
  const burnt = missing > 0n ? missing * energyPriceOf(request) : 0n;
  // Free bandwidth is used for the whole transaction or not at all.
  const bandwidthUnits = own.bandwidth >= bandwidth ? 0n : BigInt(bandwidth) * request.fee.bandwidthPrice;
  return { units: burnt + bandwidthUnits, energy, bandwidth };
}

function describeMissingFee({ coinUnits, isActivated, energy: has }: TronAddress, cost: Cost): string {
  const [needed, held, missing] = [cost.units, coinUnits, cost.units - coinUnits].map((units) =>
    formatAsset('tron', 'coin', units),
  );
  const activation = isActivated
    ? ''
    : ' It is not activated, so it has no free bandwidth and cannot be lent energy: the first TRX sent to it costs the sender about 1.1 TRX more.';
  return (
    `the fee needs ${needed} (${cost.energy} energy, of which it has ${has}, and ${cost.bandwidth} bandwidth) and the address holds ${held}: ` +
    `send ${missing} to it from an address of ${networks.tron.fundingSetting}.${activation}`
  );
}

function toUsdtSweep(request: TronPlanRequest, frame: Frame, own: TronAddress, to: string) {
  const units = own.usdtUnits - networks.tron.usdtUnitsLeft;
  const feeLimit = energyOf(request, ENERGY_TO_NEW_HOLDER) * energyPriceOf(request);
  const data = encodeTokenCall({ to: Buffer.from(decodeTronAddress(to)!.subarray(1)).toString('hex'), units });
  const contract = request.usdtContract;
  const transaction: TronTransaction = { ...frame, kind: 'CALL', owner: own.address, contract, data, feeLimit };
  const bandwidth = bandwidthOf(transaction);
  const feeMaxUnits = feeLimit + BigInt(bandwidth) * request.fee.bandwidthPrice;
  refuseHighFee('tron', feeMaxUnits);
  return { sweep: toSweep(own, transaction, { asset: 'usdt', to, contract, units, feeMaxUnits }), bandwidth };
}

function toCoinSweep(request: TronPlanRequest, frame: Frame, own: TronAddress, to: string) {
  const withAmount = (amount: bigint): TronTransaction => ({
    ...frame,
    kind: 'TRANSFER',
    owner: own.address,
    to,
    amount,
    feeLimit: 0n,
  });
  // No smaller amount has a longer encoding.
  const bandwidth = bandwidthOf(withAmount(own.coinUnits > 0n ? own.coinUnits : 0n));
  const feeMaxUnits = BigInt(bandwidth) * request.fee.bandwidthPrice;
  refuseHighFee('tron', feeMaxUnits);
  const feeUnits = own.bandwidth >= bandwidth ? 0n : feeMaxUnits;
  const units = own.coinUnits - feeUnits;
  const transaction = withAmount(units > 0n ? units : 0n);
  return { sweep: toSweep(own, transaction, { asset: 'coin', to, contract: undefined, units, feeMaxUnits }), feeUnits };
}

function toSweep(
  { index, address }: TronAddress,
  transaction: TronTransaction,
  moved: Pick<PlannedSweep, 'asset' | 'to' | 'contract' | 'units' | 'feeMaxUnits'>,
): PlannedSweep {
  return {
    chain: 'tron',
    index,
    from: address,
    ...moved,
    nonce: undefined,
    expiresAt: transaction.expiresAt,
    feeLimitUnits: transaction.feeLimit,
    sign: (privateKey) => signTronTransaction(transaction, privateKey),
  };
}

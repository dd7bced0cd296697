/** Sweeps of Ethereum and BSC. An address pays its own fees, so its tokens go first and its coin last. */
import type { ChainWith } from '../chains/descriptors.ts';
import { toChecksumAddress } from '../derive/evm-address.ts';
import { type EvmTransaction, signEvmTransaction } from './evm-transaction.ts';
import { networks } from './networks.ts';
import {
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
import { encodeTokenCall } from './token-call.ts';

/** Between two ordinary accounts; a contract as the destination needs more. */
const COIN_GAS = 21_000n;
/** USDT takes 41,000 to 65,000. What is not used is not paid. */
const TOKEN_GAS = 100_000n;

export interface EvmPlanRequest {
  chain: ChainWith<'evm'>;
  addresses: readonly (OwnAddress & { nonce: number })[];
  fee: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
  destinations: Destinations;
  usdtContract: string;
}

/** @returns undefined without a valid checksum of EIP-55, so that a mistyped digit is found */
export function parseEvmDestination(text: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text) || BigInt(text) === 0n) return undefined;
  return toChecksumAddress(text) === text ? text : undefined;
}

/** @throws ListRefused */
export function planEvm(request: EvmPlanRequest): Plan {
  const { chain, fee, destinations } = request;
  if (fee.maxFeePerGas === 0n || fee.maxPriorityFeePerGas > fee.maxFeePerGas)
    throw new ListRefused(`The fee that the list has for ${networks[chain].title} is not possible.`);
  if (destinations.usdt !== undefined) refuseHighFee(chain, TOKEN_GAS * fee.maxFeePerGas);
  if (destinations.coin !== undefined) refuseHighFee(chain, COIN_GAS * fee.maxFeePerGas);
  const plan: Plan = { sweeps: [], leftOut: [] };
  for (const address of request.addresses) planAddress(request, address, plan);
  return plan;
}

function planAddress(request: EvmPlanRequest, own: EvmPlanRequest['addresses'][number], plan: Plan): void {
  const { chain, fee, destinations } = request;
  const leave = (asset: LeftOut['asset'], units: bigint, reason: string) =>
    plan.leftOut.push({ chain, index: own.index, address: own.address, asset, units, reason });
  let [coinUnits, nonce] = [own.coinUnits, BigInt(own.nonce)];
  if (destinations.usdt !== undefined && own.usdtUnits > 0n) {
    const feeMaxUnits = TOKEN_GAS * fee.maxFeePerGas;
    const highShare = findHighShare(chain, own.usdtUnits, feeMaxUnits);
    if (highShare !== undefined) leave('usdt', own.usdtUnits, highShare);
    else if (coinUnits < feeMaxUnits) leave('usdt', own.usdtUnits, describeMissingFee(chain, coinUnits, feeMaxUnits));
    else {
      plan.sweeps.push(toUsdtSweep(request, own, nonce, destinations.usdt));
      coinUnits -= feeMaxUnits;
      nonce += 1n;
    }
  }
  if (destinations.coin === undefined || coinUnits === 0n) return;
  const feeMaxUnits = COIN_GAS * fee.maxFeePerGas;
  if (coinUnits < FEE_SHARE_MAX * feeMaxUnits) {
    leave('coin', coinUnits, `the fee may be ${formatAsset(chain, 'coin', feeMaxUnits)}, which is not worth it`);
    return;
  }
  plan.sweeps.push(toCoinSweep(request, own, nonce, coinUnits - feeMaxUnits, destinations.coin));
}

function describeMissingFee(chain: EvmPlanRequest['chain'], coinUnits: bigint, feeMaxUnits: bigint): string {
  const [needed, held, missing] = [feeMaxUnits, coinUnits, feeMaxUnits - coinUnits].map((units) =>
    formatAsset(chain, 'coin', units),
  );
  return `the fee needs ${needed} and the address holds ${held}: send ${missing} to it from an address of ${networks[chain].fundingSetting}`;
}

function toUsdtSweep(request: EvmPlanRequest, own: OwnAddress, nonce: bigint, to: string): PlannedSweep {
  const { usdtContract, fee } = request;
  const data = encodeTokenCall({ to: to.slice(2).toLowerCase(), units: own.usdtUnits });
  const transaction = { nonce, ...fee, gasLimit: TOKEN_GAS, to: usdtContract, value: 0n, data };
  return toSweep(request, own, transaction, { asset: 'usdt', to, contract: usdtContract, units: own.usdtUnits });
}

function toCoinSweep(request: EvmPlanRequest, own: OwnAddress, nonce: bigint, units: bigint, to: string): PlannedSweep {
  const transaction = { nonce, ...request.fee, gasLimit: COIN_GAS, to, value: units, data: new Uint8Array() };
  return toSweep(request, own, transaction, { asset: 'coin', to, contract: undefined, units });
}

function toSweep(
  { chain }: EvmPlanRequest,
  { index, address }: OwnAddress,
  unsigned: Omit<EvmTransaction, 'chainId'>,
  moved: Pick<PlannedSweep, 'asset' | 'to' | 'contract' | 'units'>,
): PlannedSweep {
  const transaction = { ...unsigned, chainId: networks[chain].chainId! };
  const feeLimitUnits = transaction.gasLimit * transaction.maxFeePerGas;
  return {
    chain,
    index,
    from: address,
    ...moved,
    nonce: transaction.nonce,
    expiresAt: undefined,
    feeLimitUnits,
    feeMaxUnits: feeLimitUnits,
    sign: (privateKey) => signEvmTransaction(transaction, privateKey),
  };
}

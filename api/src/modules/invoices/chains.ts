/**
 * Selects the implementation of each chain, of addresses and of rates: the sandbox in development, real ones in production. Decides
 * whether new invoices may use a chain; deposits to older ones are watched in any case.
 */
import type { Currency } from '@cellhop/contract/invoices.values';
import assert from 'node:assert/strict';
import type { Ctx } from '../../ctx.ts';
import { createSandboxDeriver, createSandboxWatcher, sandboxRates } from '../../dev/sandbox.ts';
import { blocksIn, descriptors, has } from '../../payments/chains/descriptors.ts';
import { createEvmWatcher } from '../../payments/chains/evm.ts';
import { createTonWatcher } from '../../payments/chains/ton/ton-watcher.ts';
import { createTronWatcher } from '../../payments/chains/tron/tron-watcher.ts';
import { createUtxoWatcher } from '../../payments/chains/utxo-rpc.ts';
import type { ChainWatcher } from '../../payments/chains/watcher.ts';
import { type AddressSpace, type Chain, currencyRules } from '../../payments/currencies.ts';
import { deriveAddress as deriveFromAccount } from '../../payments/derive/addresses.ts';
import { sandboxFinality, type FinalityRule } from '../../payments/finality.ts';
import type { RateSource } from '../../payments/rates/quote.ts';
import type { PaymentSettings } from '../../payments/settings.ts';
import { storedRates } from './rates.service.ts';
import * as sandboxStore from './sandbox.store.ts';
import * as store from './chain-states.store.ts';

const SANDBOX_FINGERPRINT = 'sandbox';

export function isSandbox(ctx: Ctx): boolean {
  return ctx.config.isDevelopment;
}

/** @returns undefined if the chain is disabled */
export function watcherFor(ctx: Ctx, chain: Chain): ChainWatcher | undefined {
  if (!isSandbox(ctx)) return knownWatcher(chain, ctx.config.payments);
  return createSandboxWatcher({
    listAfter: (position) => sandboxStore.listTransactionsAfter(ctx, chain, position),
    sumByAddress: (asset, addresses) => sandboxStore.sumByAddress(ctx, chain, asset, addresses),
  });
}

/** @returns undefined if the chain has no nodes in the settings */
function createWatcher(chain: Chain, settings: PaymentSettings): ChainWatcher | undefined {
  const urls = settings.urls[chain];
  if (urls === undefined) return undefined;
  const { usdtContracts, usdtWalletCode, fundingAddresses } = settings;
  if (has(chain, 'utxo')) return createUtxoWatcher({ chain, urls });
  if (has(chain, 'evm'))
    return createEvmWatcher({
      chain,
      urls,
      usdtContract: usdtContracts[chain],
      fundingAddresses: fundingAddresses.evm,
    });
  if (chain === 'tron')
    return createTronWatcher({ urls, usdtContract: usdtContracts.tron, fundingAddresses: fundingAddresses.tron });
  const jetton = { master: usdtContracts.ton, walletCode: usdtWalletCode };
  return createTonWatcher({ urls, jetton, fundingAddresses: fundingAddresses.ton });
}

/** Kept, because watchers remember the limits of their nodes. */
const watchers = new WeakMap<PaymentSettings, Map<Chain, ChainWatcher | undefined>>();

function knownWatcher(chain: Chain, settings: PaymentSettings): ChainWatcher | undefined {
  const known = watchers.get(settings) ?? new Map<Chain, ChainWatcher | undefined>();
  watchers.set(settings, known);
  if (!known.has(chain)) known.set(chain, createWatcher(chain, settings));
  return known.get(chain);
}

/** Whether addresses of the chain can be derived and its payments seen. */
function isConfigured(ctx: Ctx, chain: Chain, space: AddressSpace): boolean {
  if (isSandbox(ctx)) return true;
  const { accounts, urls } = ctx.config.payments;
  return urls[chain] !== undefined && space in accounts;
}

/** Addresses that are watched at the pace of their chain; payments to others are found by the daily comparison. */
export const WATCHED_MAX = 20_000;

/** @returns 0 in the sandbox, which has none */
export function countSources(ctx: Ctx, chain: Chain): number {
  return isSandbox(ctx) ? 0 : (ctx.config.payments.urls[chain]?.length ?? 0);
}

export function pollEveryMs(ctx: Ctx, chain: Chain): number {
  return isSandbox(ctx) ? 0 : descriptors[chain].pace.pollEveryMs;
}

export function finalityFor(ctx: Ctx, chain: Chain): FinalityRule {
  return isSandbox(ctx) ? sandboxFinality : descriptors[chain].finality;
}

export function rateSource(ctx: Ctx): RateSource {
  return isSandbox(ctx) ? sandboxRates : storedRates(ctx);
}

/** The fingerprint of the account that new addresses are derived from. */
export function accountFingerprint(ctx: Ctx, space: AddressSpace): string {
  return isSandbox(ctx) ? SANDBOX_FINGERPRINT : accountFor(ctx, space).fingerprint;
}

export function deriveAddress(ctx: Ctx, space: AddressSpace, index: bigint): string {
  if (isSandbox(ctx)) return createSandboxDeriver(ctx.config.secretKeys)(space, index);
  return deriveFromAccount(space, accountFor(ctx, space), index);
}

function accountFor(ctx: Ctx, space: AddressSpace) {
  const account = ctx.config.payments.accounts[space];
  assert(account, `no account is set for addresses of ${space}`);
  return account;
}

/** Whether new invoices in the currency can be created, apart from its rate. */
export async function isAvailable(ctx: Ctx, currency: Currency): Promise<boolean> {
  const { chain } = currencyRules[currency];
  return isEnabled(ctx, currency) && takesInvoices(ctx, currency, await store.readState(ctx, chain));
}

/** @param state of its chain */
export function takesInvoices(ctx: Ctx, currency: Currency, state: store.ChainState): boolean {
  return isHealthy(ctx, state) && !state.refusedAssets?.includes(currencyRules[currency].asset);
}

/** Whether the currency is set up; its chain may be unavailable. */
export function isEnabled(ctx: Ctx, currency: Currency): boolean {
  const { chain, addressSpace } = currencyRules[currency];
  return isConfigured(ctx, chain, addressSpace) && watcherFor(ctx, chain) !== undefined;
}

/** The sandbox is always healthy: tests have no worker, and no money is at risk. */
export function isHealthy(ctx: Ctx, state: store.ChainState): boolean {
  const problem = findProblem(state, new Date());
  return problem === undefined || (isSandbox(ctx) && problem !== 'PAUSED' && problem !== 'UNAVAILABLE');
}

const MINUTE_MS = 60_000;
/** A short failure of a node does not make the chain unavailable. */
const UNAVAILABLE_FOR_MS = 2 * MINUTE_MS;
const POLLED_WITHIN_MS = 5 * MINUTE_MS;
/** The blocks of this time, but at least some blocks, may still have to be read. */
const LAG_MAX_MS = 5 * MINUTE_MS;
const LAG_BLOCKS_MIN = 3;

export type ChainProblem =
  | 'PAUSED'
  | 'NEVER_POLLED'
  | 'UNAVAILABLE'
  | 'NOT_POLLED'
  | 'OLD_HEAD'
  | 'BEHIND'
  | 'NOT_FINAL';

/** @returns undefined if the chain is healthy */
export function findProblem(state: store.ChainState, now: Date): ChainProblem | undefined {
  const { pausedAt, polledAt, unavailableSince, headAt, headHeight, scannedHeight, chain } = state;
  const age = (date: Date | null) => now.getTime() - (date?.getTime() ?? 0);
  if (pausedAt) return 'PAUSED';
  if (!polledAt) return 'NEVER_POLLED';
  if (unavailableSince && age(unavailableSince) > UNAVAILABLE_FOR_MS) return 'UNAVAILABLE';
  if (age(polledAt) > POLLED_WITHIN_MS) return 'NOT_POLLED';
  if (age(headAt) > descriptors[chain].pace.headAgeMaxMs) return 'OLD_HEAD';
  const lagMax = Math.max(LAG_BLOCKS_MIN, blocksIn(chain, LAG_MAX_MS));
  if ((headHeight ?? 0n) - (scannedHeight ?? 0n) > BigInt(lagMax)) return 'BEHIND';
  return isFinalising(state) ? undefined : 'NOT_FINAL';
}

/** Otherwise payments would be shown and never credited. */
function isFinalising({ chain, scannedHeight, finalizedHeight }: store.ChainState): boolean {
  const limitMs = descriptors[chain].pace.finalWithinMs;
  if (limitMs === undefined || finalizedHeight === null) return true;
  return (scannedHeight ?? 0n) - finalizedHeight <= BigInt(blocksIn(chain, limitMs));
}

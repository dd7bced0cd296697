/**
 * The file that `npm run payments -- holdings` writes and the offline program reads: what our addresses hold, and what a signature of a
 * sweep needs from the chain. Nothing in it is trusted where the keys are: addresses are derived again there, and neither a destination
 * nor the number of decimals is part of it.
 */
import { chains } from '@cellhop/contract/chains';
import { tickers } from '@cellhop/contract/coins';
import * as z from 'zod';
import { chainsWith } from './chains/descriptors.ts';

export const HOLDINGS_VERSION = 1;

const ADDRESSES_MAX = 2000;
const ASSETS_MAX = 8;
const NOTES_MAX = 8;
const NOTE_LENGTH_MAX = 300;
const INDEX_MAX = 2 ** 31 - 1;

/** Base units, which do not fit a JSON number. */
const units = z.string().regex(/^(0|[1-9]\d{0,77})$/, 'must be a whole number without leading zeros');
const count = z.number().int().nonnegative();
/** Printed to a terminal on the machine with the keys, so control characters are refused. */
const words = (lengthMax: number) =>
  z
    .string()
    .regex(/^[\x20-\x7e]*$/, 'must be printable')
    .max(lengthMax);
const address = z.string().regex(/^[0-9A-Za-z:_-]{1,128}$/);

const asset = z.object({
  /** As in `currencyRules`, and BNB, which pays for sweeps on BSC. */
  asset: z.enum([...tickers, 'BNB']),
  /** Of a token: its contract or jetton master; absent for the native coin. */
  contract: address.optional(),
  /** More than 0. */
  units,
});

const held = z.object({
  /** Of the account key: addresses of older accounts are listed too, and need the older seed words. */
  account: z.string().regex(/^[0-9a-z]{1,32}$/),
  /** The `i` of `0/i` below the account key; on TON, what is added to the default wallet id. */
  index: z.number().int().min(0).max(INDEX_MAX),
  address,
  assets: z.array(asset).max(ASSETS_MAX),
  /** Sentences for the operator, such as that the issuer of a token has frozen the address. */
  notes: z.array(words(NOTE_LENGTH_MAX)).max(NOTES_MAX),
});

const list = <Entry extends z.ZodType>(entry: Entry) => z.array(entry).max(ADDRESSES_MAX);

/** Swept by the wallet itself, which finds its coins. */
const coins = z.object({ chain: z.enum(chainsWith('utxo')), addresses: list(held) });

const evm = z.object({
  chain: z.enum(chainsWith('evm')),
  chainId: count,
  /** Wei for each unit of gas (EIP-1559); a suggestion, for which the offline program has a ceiling. */
  fee: z.object({ maxFeePerGas: units, maxPriorityFeePerGas: units }),
  /** `nonce`: of the next transaction of the address. */
  addresses: list(held.extend({ nonce: count })),
});

const tron = z.object({
  chain: z.literal('tron'),
  /** Block id in 64 hexadecimal digits, and the time of the block. A transaction names it and is valid for a day at most. */
  referenceBlock: z.object({ height: count, id: z.string().regex(/^[0-9a-f]{64}$/), time: z.iso.datetime() }),
  /** Sun; and the network's highest factor of energy (`getDynamicEnergyMaxFactor`). */
  fee: z.object({ energyPrice: units, bandwidthPrice: units, energyFactor: count }),
  /** `isActivated`: false for an address that never held TRX: it has no free bandwidth. */
  addresses: list(held.extend({ isActivated: z.boolean(), energy: count, bandwidth: count })),
});

const ton = z.object({
  chain: z.literal('ton'),
  /** `seqno`: 0 while the wallet is not deployed. `jettonWallet`: of the address, for USDT. */
  addresses: list(
    held.extend({
      seqno: count,
      state: z.enum(['ACTIVE', 'UNINITIALIZED', 'FROZEN']),
      jettonWallet: address.optional(),
    }),
  ),
});

export const holdingsFileSchema = z.object({
  kind: z.literal('cellhop-holdings'),
  version: z.literal(HOLDINGS_VERSION),
  madeAt: z.iso.datetime(),
  chains: z.array(z.discriminatedUnion('chain', [coins, evm, tron, ton])).max(chains.length),
});

export type HoldingsFile = z.infer<typeof holdingsFileSchema>;
/** The part of one chain. */
export type ChainHoldings = HoldingsFile['chains'][number];
/** Before the chain adds what a signature needs. */
export type AddressBalances = Omit<z.infer<typeof held>, 'notes'>;

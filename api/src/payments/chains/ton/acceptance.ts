/**
 * Which transactions are payments. Only those of our own accounts count: for TON that of the owner, for a token that of the wallet in which
 * the token is held. Notifications, lists of transfers and the flag "aborted" of an owner's transaction say nothing about money.
 */
import { tonAddresses } from '../../derive/ton-address.ts';
import type { ObservedPayment } from '../watcher.ts';
import type { Jetton } from './jetton.ts';
import { deriveJettonWallet, toAccount } from './jetton-wallet.ts';
import { type IncomingMessage, operationOf, type TonTransaction } from './transaction.ts';

/** What a watcher watches: each owner's address in the form in which it was given, by both of its accounts. */
export interface WatchedAccounts {
  /** Account of the owner -> address. */
  owners: ReadonlyMap<string, string>;
  /** Account of the owner's wallet of the token -> address. */
  wallets: ReadonlyMap<string, string>;
  jetton: Jetton;
  /** The operator's own accounts. */
  fundingAccounts: ReadonlySet<string>;
}

export type Payment = Pick<ObservedPayment, 'asset' | 'address' | 'sender' | 'units'>;

const INTERNAL_TRANSFER = 0x178d4519;
const EXCESSES = 0xd53276db;
/** Texts of the sender, plain and encrypted. */
const comments = new Set([0, 0x2167da4b]);
/** Smaller values come with notifications of tokens, mostly unwanted ones. */
const OPERATION_VALUE_MIN = 10_000_000n;

export function findPayment(accounts: WatchedAccounts, transaction: TonTransaction): Payment | undefined {
  const { account } = transaction;
  const owner = accounts.owners.get(account);
  if (owner !== undefined) return findCoins(accounts, transaction, owner);
  const holder = accounts.wallets.get(account);
  return holder === undefined ? undefined : findTokens(accounts, transaction, holder);
}

function findCoins(
  { owners, wallets, fundingAccounts }: WatchedAccounts,
  { incoming, isReturned }: TonTransaction,
  address: string,
): Payment | undefined {
  if (incoming?.source === undefined || incoming.isBounced || isReturned || incoming.value <= 0n) return undefined;
  // What moves between our own addresses is no income.
  if (fundingAccounts.has(incoming.source) || owners.has(incoming.source)) return undefined;
  const operation = operationOf(incoming);
  if (operation === EXCESSES) return undefined;
  const isPlain = operation === undefined || comments.has(operation);
  if (!isPlain && incoming.value < OPERATION_VALUE_MIN) return undefined;
  // What comes with a token comes from our wallet of it.
  const sender = wallets.has(incoming.source) ? undefined : tonAddresses.parse(incoming.source);
  return { asset: 'TON', address, sender, units: incoming.value };
}

function findTokens(
  { jetton }: WatchedAccounts,
  { incoming, isAborted, exitCode }: TonTransaction,
  address: string,
): Payment | undefined {
  if (incoming?.source === undefined || incoming.isBounced || isAborted || exitCode !== 0) return undefined;
  const transfer = parseTransfer(incoming);
  if (!transfer || transfer.units <= 0n) return undefined;
  // The contract has checked it, too; this check is for a setting with the hash of other code.
  const isFromMaster = incoming.source === toAccount(jetton.master);
  const isFromWallet = transfer.from !== undefined && incoming.source === deriveJettonWallet(transfer.from, jetton);
  if (!isFromMaster && !isFromWallet) return undefined;
  // What the issuer mints may name anybody.
  const sender = isFromWallet ? tonAddresses.parse(transfer.from!) : undefined;
  return { asset: 'USDT', address, sender, units: transfer.units };
}

/** Query (64 bits), amount, sender. @returns undefined if it is no transfer */
function parseTransfer(message: IncomingMessage): { units: bigint; from: string | undefined } | undefined {
  if (operationOf(message) !== INTERNAL_TRANSFER) return undefined;
  try {
    const slice = message.body.beginParse(true).skip(32 + 64);
    return { units: slice.loadCoins(), from: slice.loadMaybeAddress()?.toRawString() };
  } catch {
    // Other code than that of USDT may accept a body of another layout.
    return undefined;
  }
}

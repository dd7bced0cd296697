/** What the watcher needs from a source, whichever interface it has. */
import type { HttpTransport } from '../http-transport.ts';
import { ChainUnavailable } from '../watcher.ts';
import type { TonTransaction } from './transaction.ts';

/** A block of the masterchain. */
export interface MasterBlock {
  seqno: number;
  /** Lower-case hexadecimal digits. */
  rootHash: string;
  time: Date;
  /** Logical time: transactions in later blocks have larger ones, but for a few seconds. */
  startLt: bigint;
  /** The network. */
  globalId: number;
}

export interface AccountState {
  balance: bigint;
  status: 'ACTIVE' | 'UNINITIALIZED' | 'FROZEN';
  /** Base64; undefined if it has no contract. */
  data: string | undefined;
  /** Undefined if it has none. */
  last: { lt: bigint; hash: string } | undefined;
}

interface TransactionId {
  account: string;
  lt: bigint;
  hash: string;
}

export interface TonSource {
  readonly transport: HttpTransport;
  /** Undefined if the source has no index of transactions: version 2. */
  readonly index: TransactionIndex | undefined;
  /** It answers for many accounts at once. */
  readonly readsStatesTogether: boolean;
  /** Accounts whose states it may be asked for at each poll, beside what payments need. */
  readonly statesPerPoll: number;
  /** Likewise transactions. */
  readonly transactionsPerPoll: number;
  head(signal: AbortSignal): Promise<MasterBlock>;
  /** @returns undefined if the source does not have it */
  block(seqno: number, signal: AbortSignal): Promise<MasterBlock | undefined>;
  /** The last block of this time or before. @returns undefined if the source does not have it */
  blockAt(time: Date, signal: AbortSignal): Promise<MasterBlock | undefined>;
  /** @returns undefined if the source does not have it */
  transaction(id: TransactionId, signal: AbortSignal): Promise<TonTransaction | undefined>;
  states(accounts: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, AccountState>>;
  /** Asks the contract of a token. @returns undefined if it names none */
  walletOf(master: string, owner: string, signal: AbortSignal): Promise<string | undefined>;
  /** Sends a message from outside of the chain. @param boc base64 @throws SourceRefusal if no contract takes it */
  send(boc: string, signal: AbortSignal): Promise<void>;
}

export interface TimeRange {
  from: Date;
  to: Date;
}

interface TransactionIndex {
  /** Finalized ones whose time is in the range, in no particular order. */
  transactions(accounts: readonly string[], range: TimeRange, signal: AbortSignal): Promise<TonTransaction[]>;
  /** @returns undefined if the index does not have it */
  byHash(hash: string, signal: AbortSignal): Promise<TonTransaction | undefined>;
}

export function failOf(
  { transport }: Pick<TonSource, 'transport'>,
  reason: ChainUnavailable['reason'],
  sentence: string,
): ChainUnavailable {
  return new ChainUnavailable(reason, `${transport.name} ${sentence}`);
}

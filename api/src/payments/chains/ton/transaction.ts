/** What a source says about one transaction of one account, in one form for every interface. */
import { type Cell, loadTransaction, type Message } from '@ton/core';

export interface TonTransaction {
  /** `0:` and lower-case hexadecimal digits, as all accounts here. */
  account: string;
  /** Of the whole transaction, as lower-case hexadecimal digits. */
  hash: string;
  /** Logical time: it orders the transactions of one account. */
  lt: bigint;
  /** The transaction of the account before it; its lt is 0 if there is none. */
  previous: { lt: bigint; hash: string };
  time: Date;
  /** The block of the masterchain that contains it; undefined if the interface does not say. */
  masterSeqno: number | undefined;
  isAborted: boolean;
  /** Of its computation; undefined if there was none. */
  exitCode: number | undefined;
  incoming: IncomingMessage | undefined;
  /** A message of it returns what came in. */
  isReturned: boolean;
  sentMessages: number;
}

export interface IncomingMessage {
  /** Undefined for messages from outside of the chain, such as those of a wallet's owner. */
  source: string | undefined;
  value: bigint;
  isBounced: boolean;
  body: Cell;
}

/** @throws Error if it is no transaction */
export function parseTransaction(cell: Cell): TonTransaction {
  const transaction = loadTransaction(cell.beginParse());
  const { address, lt, prevTransactionLt, prevTransactionHash, now, description, inMessage, outMessages } = transaction;
  const isGeneric = description.type === 'generic';
  const computation = isGeneric && description.computePhase.type === 'vm' ? description.computePhase : undefined;
  return {
    account: `0:${toHex(address)}`,
    hash: cell.hash().toString('hex'),
    lt,
    previous: { lt: prevTransactionLt, hash: toHex(prevTransactionHash) },
    time: new Date(now * 1000),
    masterSeqno: undefined,
    isAborted: isGeneric && description.aborted,
    exitCode: computation?.exitCode,
    incoming: inMessage ? parseMessage(inMessage) : undefined,
    isReturned: outMessages.values().some(({ info }) => info.type === 'internal' && info.bounced),
    sentMessages: outMessages.size,
  };
}

function parseMessage({ info, body }: Message): IncomingMessage {
  if (info.type !== 'internal') return { source: undefined, value: 0n, isBounced: false, body };
  return { source: info.src.toRawString(), value: info.value.coins, isBounced: info.bounced, body };
}

const HASH_DIGITS = 64;
const toHex = (number: bigint): string => number.toString(16).padStart(HASH_DIGITS, '0');

/** The operation that a message asks for; 0 is a comment. @returns undefined if it has none */
export function operationOf({ body }: IncomingMessage): number | undefined {
  const slice = body.beginParse(true);
  return slice.remainingBits >= 32 ? slice.preloadUint(32) : undefined;
}

/** A text that is equal if and only if two sources say the same about a transaction. */
export function identify(transaction: TonTransaction): string {
  const { account, hash, lt, previous, time, isAborted, exitCode, isReturned, incoming } = transaction;
  return JSON.stringify({
    account,
    hash,
    isAborted,
    exitCode,
    isReturned,
    time: time.getTime(),
    lt: String(lt),
    previous: [String(previous.lt), previous.hash],
    incoming: incoming && {
      source: incoming.source,
      value: String(incoming.value),
      isBounced: incoming.isBounced,
      // Indexes print an exotic cell as an ordinary one with the same content.
      body: incoming.body.beginParse(true).asCell().hash().toString('hex'),
    },
  });
}

/** How one source serves the chain: it may lag, refuse, break, skip, or lie. */
import type { Cell } from '@ton/core';
import type { MinedTransaction } from './ton-chain.ts';
import type { PrintedTransaction } from './v3-printing.ts';

/** The main network's. */
const MAINNET = -239;

export interface Behaviour {
  globalId: number;
  /** Its newest block is so many blocks older. */
  blocksBehind: number;
  /** Instead of each response. */
  page: 'NONE' | 'HTML' | 'EMPTY' | 'CLOSED';
  /** Instead of each response: a status and JSON, such as version 2's 200 with a code. */
  refusal: { status: number; body: unknown } | undefined;
  /** Paths after `/api/v3` or `/api/v2` that it does not serve. */
  disabled: ReadonlySet<string>;
  /** A URL with more accounts is too long for it. */
  accountsMax: number;
  /** Transactions of one response, whatever was asked for. */
  pageMax: number;
  /** Called before each page of transactions. */
  beforePage: (offset: number) => void;
  /** It has not indexed this transaction, or not yet. */
  lacks: (one: MinedTransaction) => boolean;
  /** Version 3 lies in its JSON. */
  changeTransaction: (printed: PrintedTransaction, one: MinedTransaction) => PrintedTransaction;
  /** Version 2 serves another transaction. */
  changeCell: (cell: Cell) => Cell;
  /** Version 2 knows older transactions only if it is asked for archival ones. */
  needsArchival: boolean;
  /** Version 2 in C++ without an archival lite server. */
  hasNoArchival: boolean;
  /** Its states of accounts are older than the transactions that it has skipped. */
  hasOldStates: boolean;
  changeRootHash: (hash: Buffer) => Buffer;
  /** The word for the state of an account. */
  changeStatus: (status: string) => string;
  /** What an account holds. */
  changeBalance: (balance: bigint) => bigint;
  /** The wallet of the token that its contract names. */
  changeWallet: (cell: Cell) => Cell;
}

export function honest(): Behaviour {
  return {
    globalId: MAINNET,
    blocksBehind: 0,
    page: 'NONE',
    refusal: undefined,
    disabled: new Set(),
    accountsMax: Infinity,
    pageMax: Infinity,
    beforePage: () => {},
    lacks: () => false,
    changeTransaction: (printed) => printed,
    changeCell: (cell) => cell,
    needsArchival: false,
    hasNoArchival: false,
    hasOldStates: false,
    changeRootHash: (hash) => hash,
    changeStatus: (status) => status,
    changeBalance: (balance) => balance,
    changeWallet: (cell) => cell,
  };
}

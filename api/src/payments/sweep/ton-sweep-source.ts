import type { Cell } from '@ton/core';
import { toAccount } from '../chains/ton/jetton-wallet.ts';
import { failOf, type AccountState, type TonSource } from '../chains/ton/source.ts';
import { createSource, type SourceOptions } from '../chains/ton/toncenter.ts';
import type { TonTransaction } from '../chains/ton/transaction.ts';
import { SourceRefusal } from '../chains/refusals.ts';
import type { FindResult, Inclusion, SentSweep, SweepSource } from './sweep-source.ts';
import { readTonMessage, type SignedTonMessage, toPosted } from './ton-message.ts';
import { nextSeqno } from './ton-wallet.ts';

/** Test networks have others, and the same addresses. */
const MAINNET_GLOBAL_ID = -239;
/** A wallet that takes no message with this number, as it has taken another one with it. */
const WRONG_SEQNO = /exitcode=33\b/;
/** How far back a transaction is looked for, one request for each. */
const TRANSACTIONS_MAX = 100;

/**
 * The hash of a message is not that of its transaction, which only one of the two kinds of sources knows to find. So what became of a message
 * is read from its wallet: the number of the next message says whether it was taken, and the transactions of the account what it did.
 */
export function createTonSweepSource(url: string, options: SourceOptions = {}): SweepSource {
  const source = createSource(url, options);
  let isChecked = false;
  /** Their messages need no first state. */
  const deployed = new Set<string>();
  const checkNetwork = async (signal: AbortSignal) => {
    if (isChecked) return;
    const { globalId } = await source.head(signal);
    if (globalId !== MAINNET_GLOBAL_ID)
      throw failOf(source, 'INVALID_RESPONSE', `serves the network ${globalId}, not ${MAINNET_GLOBAL_ID}`);
    isChecked = true;
  };
  return {
    name: source.transport.name,
    async find(sweep, signal) {
      await checkNetwork(signal);
      const account = toAccount(sweep.from);
      const state = (await source.states([account], signal)).get(account);
      if (state?.data !== undefined) deployed.add(sweep.from);
      const next = BigInt(nextSeqno(state?.data));
      if (next < sweep.nonce!) return 'EARLY';
      if (next === sweep.nonce) return undefined;
      return findTaken(source, sweep, state!, signal);
    },
    async post({ raw, from }, signal) {
      try {
        await source.send(toPosted(raw, deployed.has(from)), signal);
        return 'TAKEN';
      } catch (error) {
        if (!(error instanceof SourceRefusal)) throw error;
        // Since its state was read.
        if (WRONG_SEQNO.test(error.message)) return 'KNOWN';
        return { refusal: error.message.replaceAll(/\s+/g, ' ') };
      }
    },
  };
}

/** What became of a message whose number the wallet has passed. */
async function findTaken(
  source: TonSource,
  { from, nonce, raw }: SentSweep,
  { last }: AccountState,
  signal: AbortSignal,
): Promise<FindResult> {
  const signed = readTonMessage(raw);
  const account = toAccount(from);
  const isOurs = ({ incoming }: TonTransaction) =>
    incoming?.source === undefined && hasHash(incoming?.body, signed.bodyHash);
  const own = await searchBack(source, { account, last, isWanted: isOurs, afterLt: 0n }, signal);
  if (own === 'NOT_INDEXED') return 'KNOWN';
  if (!own) return { refusal: `the wallet has sent another message with the number ${nonce}` };
  return findEffect(source, account, signed, own, signal);
}

/** The wallet leaves out what it cannot pay, and the wallet of a token may refuse. */
async function findEffect(
  source: TonSource,
  account: string,
  { message: { order }, orderHash }: SignedTonMessage,
  own: TonTransaction,
  signal: AbortSignal,
): Promise<FindResult> {
  if (order.kind === 'TRANSFER' || !hasSent(own)) return toInclusion(own, hasSent(own));
  const tokenAccount = toAccount(order.tokenWallet);
  const state = (await source.states([tokenAccount], signal)).get(tokenAccount);
  const isOrder = ({ incoming }: TonTransaction) => incoming?.source === account && hasHash(incoming.body, orderHash);
  const search = { account: tokenAccount, last: state?.last, isWanted: isOrder, afterLt: own.lt };
  const transfer = await searchBack(source, search, signal);
  // On its way between the two accounts.
  if (!transfer || transfer === 'NOT_INDEXED') return 'KNOWN';
  return toInclusion(transfer, transfer.exitCode === 0 && !transfer.isAborted);
}

const hasSent = ({ exitCode, isAborted, sentMessages }: TonTransaction): boolean =>
  exitCode === 0 && !isAborted && sentMessages > 0;

const hasHash = (cell: Cell | undefined, hash: string): boolean => cell?.hash().toString('hex') === hash;

const toInclusion = ({ masterSeqno }: TonTransaction, isSuccessful: boolean): Inclusion => ({
  height: masterSeqno,
  isSuccessful,
});

interface Search {
  account: string;
  last: AccountState['last'];
  isWanted: (transaction: TonTransaction) => boolean;
  /** Earlier ones cannot be it. */
  afterLt: bigint;
}

/** @returns undefined if it is not there; NOT_INDEXED if the source does not have all that it says the account has */
async function searchBack(
  source: TonSource,
  { account, last, isWanted, afterLt }: Search,
  signal: AbortSignal,
): Promise<TonTransaction | 'NOT_INDEXED' | undefined> {
  let next = last;
  for (let searched = 0; next && next.lt > afterLt && searched < TRANSACTIONS_MAX; searched += 1) {
    const transaction = await source.transaction({ account, ...next }, signal);
    if (!transaction) return 'NOT_INDEXED';
    if (isWanted(transaction)) return transaction;
    next = transaction.previous;
  }
  return undefined;
}

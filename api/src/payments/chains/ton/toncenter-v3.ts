/** Version 3 of toncenter (ton-indexer): an index of all transactions, which says what it wants, and skips blocks at times. */
import { beginCell, Address } from '@ton/core';
import { z } from 'zod';
import { speakHttpJson } from '../http-json.ts';
import type { HttpTransport } from '../http-transport.ts';
import { isTooLarge, SourceRefusal } from '../refusals.ts';
import { createSizeLimit, type SizeLimit } from '../size-limit.ts';
import {
  accountState,
  cell,
  masterBlock,
  type PrintedTransaction,
  transaction as printedTransaction,
} from './answers.ts';
import { toAccount } from './jetton-wallet.ts';
import { createPacer, requestsAside } from './pacer.ts';
import { type AccountState, failOf, type MasterBlock, type TonSource } from './source.ts';
import type { TonTransaction } from './transaction.ts';

/** Of one request: its URL stays below 8 KB. */
const ACCOUNTS_MAX = 100;
/** At each poll, beside the others. */
const STATE_REQUESTS_MAX = 5;
const PAGE = 500;
/** Of one request and those that go on with it: its offset grows. */
const OFFSET_MAX = 5000;
const statuses = { active: 'ACTIVE', frozen: 'FROZEN', uninit: 'UNINITIALIZED', nonexist: 'UNINITIALIZED' } as const;
/** Any other word is final if a block of the masterchain contains the transaction: releases 1.2.6 to 1.2.8 say `unknown_3`. */
const notFinal = new Set(['pending', 'confirmed']);

const blocks = z.object({ blocks: z.array(masterBlock) });
const transactions = z.object({ transactions: z.array(printedTransaction).max(PAGE + 1) });
const states = z.object({ accounts: z.array(accountState) });
const info = z.object({ last: masterBlock });
const methodResult = z.object({
  exit_code: z.number().int(),
  stack: z.array(z.object({ value: cell.optional().catch(undefined) })),
});

export function createV3Source(transport: HttpTransport, requestsPerSecond: number): TonSource {
  const http = speakHttpJson(transport);
  const pace = createPacer(requestsPerSecond);
  const limit = createSizeLimit(ACCOUNTS_MAX);
  const page = createSizeLimit(PAGE);
  const get: typeof http.get = async (path, query, schema, signal) => {
    await pace(signal);
    return http.get(path, query, schema, signal);
  };
  const findBlock = async (query: Record<string, string | number>, signal: AbortSignal) => {
    const found = await orNone(get('/blocks', { workchain: -1, limit: 1, ...query }, blocks, signal));
    return found?.blocks[0] && toBlock(found.blocks[0]);
  };
  const source: TonSource = {
    transport,
    readsStatesTogether: true,
    statesPerPoll: ACCOUNTS_MAX * Math.min(requestsPerSecond, STATE_REQUESTS_MAX),
    transactionsPerPoll: requestsAside(requestsPerSecond),
    head: async (signal) => toBlock((await get('/masterchainInfo', {}, info, signal)).last),
    block: (seqno, signal) => findBlock({ seqno }, signal),
    blockAt: (time, signal) => findBlock({ end_utime: toSeconds(time), sort: 'desc' }, signal),
    transaction: ({ hash }, signal) => source.index!.byHash(hash, signal),
    states: async (accounts, signal) => {
      const lists = await inChunks(limit, accounts, (address) =>
        orNone(get('/accountStates', { address, include_boc: 'true' }, states, signal)),
      );
      const found = lists.flatMap((list) => list?.accounts ?? []);
      return new Map(found.map((one) => [one.address, toState(one)]));
    },
    async walletOf(master, owner, signal) {
      const value = beginCell().storeAddress(Address.parse(owner)).endCell().toBoc().toString('base64');
      const body = { address: master, method: 'get_wallet_address', stack: [{ type: 'slice', value }] };
      await pace(signal);
      const { exit_code, stack } = await http.post('/runGetMethod', body, methodResult, signal);
      const address = exit_code === 0 ? stack[0]?.value?.beginParse().loadMaybeAddress() : undefined;
      return address ? toAccount(address.toRawString()) : undefined;
    },
    async send(boc, signal) {
      await pace(signal);
      await http.post('/message', { boc }, z.object({ message_hash: z.string() }), signal);
    },
    index: {
      async transactions(accounts, range, signal) {
        const lists = await inChunks(limit, accounts, (account) =>
          readRange(source, get, page, { account, from: toSeconds(range.from), to: toSeconds(range.to) }, signal),
        );
        return lists.flat().flatMap((printed) => toTransaction(printed) ?? []);
      },
      async byHash(hash, signal) {
        const query = { hash: Buffer.from(hash, 'hex').toString('base64'), limit: 1 };
        const found = await orNone(get('/transactions', query, transactions, signal));
        const printed = found?.transactions[0];
        return printed && toTransaction(printed);
      },
    },
  };
  return source;
}

type Get = ReturnType<typeof speakHttpJson>['get'];

interface Wanted {
  account: readonly string[];
  /** Seconds, both included. */
  from: number;
  to: number;
  /** Of one second, those of this logical time and later: a stranger may send any number in it. */
  fromLt?: bigint;
}

async function readRange(
  source: TonSource,
  get: Get,
  page: SizeLimit,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<PrintedTransaction[]> {
  const { isComplete, read } = await readPages(source, get, page, wanted, signal);
  if (isComplete) return read;
  const { from, to, fromLt = -1n } = wanted;
  if (from < to) {
    const middle = Math.floor((from + to) / 2);
    const first = await readRange(source, get, page, { ...wanted, to: middle }, signal);
    return [...first, ...(await readRange(source, get, page, { ...wanted, from: middle + 1 }, signal))];
  }
  // Within a second an index sorts by logical time, of which an account has one transaction.
  const lastLt = read.at(-1)!.lt;
  if (lastLt <= fromLt)
    throw failOf(source, 'INVALID_RESPONSE', `does not sort the transactions of the second ${from}`);
  const later = await readRange(source, get, page, { ...wanted, fromLt: lastLt }, signal);
  return [...read.filter(({ lt }) => lt < lastLt), ...later];
}

/**
 * Pages overlap by one transaction, so that the pages of an index that changes meanwhile do not fit; a page may be shorter than it was
 * asked for, so that only an empty one is the last. An offset that grows without end would be too slow for an index.
 */
async function readPages(
  source: TonSource,
  get: Get,
  page: SizeLimit,
  { account, from, to, fromLt }: Wanted,
  signal: AbortSignal,
): Promise<{ isComplete: boolean; read: PrintedTransaction[] }> {
  const read: PrintedTransaction[] = [];
  const start = fromLt === undefined ? {} : { start_lt: String(fromLt) };
  const range = { account, start_utime: from, end_utime: to, ...start, sort: 'asc' };
  while (read.length <= OFFSET_MAX) {
    const last = read.at(-1);
    const size = page.value();
    const query = { ...range, limit: last ? size + 1 : size, offset: Math.max(0, read.length - 1) };
    const answer = await orNone(get('/transactions', query, transactions, signal)).catch((error: unknown) => {
      if (!isTooLarge(error) || size === 1) throw error;
      page.refuse(size);
      return 'TOO_LARGE' as const;
    });
    if (answer === 'TOO_LARGE') continue;
    page.accept(size);
    const [first, ...rest] = answer?.transactions ?? [];
    if (last && first?.hash !== last.hash) throw failOf(source, 'LAGGING', 'changed its pages while they were read');
    const added = last ? rest : (answer?.transactions ?? []);
    if (added.length === 0) return { isComplete: true, read };
    read.push(...added);
  }
  return { isComplete: false, read };
}

/** Splits what is too large for the source. */
async function inChunks<Result>(
  limit: SizeLimit,
  accounts: readonly string[],
  read: (accounts: readonly string[]) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < accounts.length;) {
    const chunk = accounts.slice(start, start + limit.value());
    try {
      results.push(await read(chunk));
      limit.accept(chunk.length);
      start += chunk.length;
    } catch (error) {
      const isTooMuch = isTooLarge(error) || (error instanceof SourceRefusal && error.code === 400);
      if (!isTooMuch || chunk.length === 1) throw error;
      limit.refuse(chunk.length);
    }
  }
  return results;
}

/** It says 404 where it has nothing. */
async function orNone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof SourceRefusal && error.code === 404) return undefined;
    throw error;
  });
}

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);

function toBlock({ seqno, root_hash, gen_utime, start_lt, global_id }: z.output<typeof masterBlock>): MasterBlock {
  return { seqno, rootHash: root_hash, time: gen_utime, startLt: start_lt, globalId: global_id };
}

/** @returns undefined if the transaction is not final */
function toTransaction(printed: PrintedTransaction): TonTransaction | undefined {
  const { account, hash, lt, now, mc_block_seqno, description, in_msg, out_msgs } = printed;
  if (notFinal.has(printed.finality ?? '') || printed.emulated === true || !mc_block_seqno) return undefined;
  const { compute_ph } = description;
  return {
    account,
    hash,
    lt,
    previous: { lt: printed.prev_trans_lt ?? 0n, hash: printed.prev_trans_hash ?? '0'.repeat(64) },
    time: now,
    masterSeqno: mc_block_seqno,
    isAborted: description.aborted === true,
    exitCode: compute_ph?.skipped === true ? undefined : (compute_ph?.exit_code ?? undefined),
    incoming: in_msg
      ? {
          source: in_msg.source ?? undefined,
          value: in_msg.value ?? 0n,
          isBounced: in_msg.bounced === true,
          body: in_msg.message_content?.body ?? beginCell().endCell(),
        }
      : undefined,
    isReturned: (out_msgs ?? []).some(({ bounced }) => bounced === true),
    sentMessages: out_msgs?.length ?? 0,
  };
}

function toState(printed: z.output<typeof accountState>): AccountState {
  const { balance, status, data_boc, last_transaction_lt: lt, last_transaction_hash: hash } = printed;
  return {
    balance: balance ?? 0n,
    status: statuses[status],
    data: data_boc ?? undefined,
    // Of an account that was deleted, it is the logical time of a block.
    last: lt && hash && status !== 'nonexist' ? { lt, hash } : undefined,
  };
}

/** What the ledger knows of a customer, as he reads it. Reads only. */
import { transactionKinds, type Transaction, type TransactionKind } from '@cellhop/contract/transactions';
import type { Actor } from '../../actor.ts';
import type { Ctx } from '../../ctx.ts';
import { toOffset, toTotalPages, type PageQuery } from '../../http/paging.ts';
import { CSV_HEADER, toCsvLine } from './statement-csv.ts';
import { presentTransaction } from './statement-presenter.ts';
import * as store from './statement.store.ts';

/** As large as it may be while a slow reader keeps nothing open but this in memory: about 100 kB. */
const CSV_BATCH_ROWS = 1000;
/** The year 0 is a date for JavaScript and none for PostgreSQL. */
const EARLIEST = new Date('0001-01-01T00:00:00Z');
const LATEST = new Date('9999-12-31T23:59:59Z');

export interface Filter {
  kind?: TransactionKind[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export async function listTransactions(
  ctx: Ctx,
  actor: Actor,
  query: Filter & PageQuery,
): Promise<{ data: Transaction[]; totalPages: number }> {
  const filter = toFilter(query);
  const [rows, count] = await Promise.all([
    store.listEntries(ctx, actor.accountId, filter, null, query.size, toOffset(query)),
    store.countEntries(ctx, actor.accountId, filter),
  ]);
  return { data: rows.map(presentTransaction), totalPages: toTotalPages(count, query) };
}

/**
 * The whole statement, batch by batch: each goes on where the one before it ended, with the balance it ended at, so no
 * transaction stays open while the reader is slow. What is posted meanwhile is newer than the first row, hence no part.
 */
export async function* writeCsv(ctx: Ctx, actor: Actor, query: Filter): AsyncGenerator<string> {
  const filter = toFilter(query);
  yield CSV_HEADER;
  let start: store.Continuation | null = null;
  while (true) {
    const rows: store.EntryRow[] = await store.listEntries(ctx, actor.accountId, filter, start, CSV_BATCH_ROWS);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(toCsvLine).join('');
    start = { beforeId: last.id, balanceMicros: last.balanceAfterMicros - last.micros };
  }
}

function toFilter({ kind, from, to }: Filter): store.EntryFilter {
  return {
    kinds: kind ?? transactionKinds,
    from: toDate(from, EARLIEST),
    to: toDate(to, LATEST),
  };
}

function toDate(text: string | undefined, otherwise: Date): Date {
  const date = text === undefined ? otherwise : new Date(text);
  return date < EARLIEST ? EARLIEST : date;
}

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
/** Further than any that the contract lets in. */
const EARLIEST = new Date('1900-01-01T00:00:00Z');
const LATEST = new Date('9999-12-31T23:59:59Z');
/**
 * A transfer has the time at which its transaction began, its id the order in which it got the account's lock: older
 * transfers may lie above younger ones by as long as a transaction lasts. The database ends each long before this.
 */
const DISORDER_MAX_MS = 3_600_000;

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
    store.listEntries(ctx, actor.accountId, null, { filter, limit: query.size, offset: toOffset(query) }),
    store.countEntries(ctx, actor.accountId, filter),
  ]);
  return { data: rows.map(presentTransaction), totalPages: toTotalPages(count, query) };
}

/**
 * The statement, batch by batch: each goes on where the one before it ended, with the balance it ended at, so no
 * transaction stays open while the reader is slow. What is posted meanwhile is newer than the first row, hence no part.
 */
export async function* writeCsv(ctx: Ctx, actor: Actor, query: Filter): AsyncGenerator<string> {
  const filter = toFilter(query);
  yield CSV_HEADER;
  let start: store.Continuation | null = null;
  while (true) {
    const batch = { filter: null, limit: CSV_BATCH_ROWS, offset: 0 };
    const rows: store.EntryRow[] = await store.listEntries(ctx, actor.accountId, start, batch);
    const last = rows.at(-1);
    if (!last) return;
    const lines = rows.filter((row) => filter === null || isShown(row, filter)).map(toCsvLine);
    if (lines.length > 0) yield lines.join('');
    // What is older than the range is not read: neither its length nor its cost is the reader's.
    if (filter !== null && last.createdAt.getTime() < filter.from.getTime() - DISORDER_MAX_MS) return;
    start = { beforeId: last.id, balanceMicros: last.balanceAfterMicros - last.micros };
  }
}

/** Null if it leaves nothing out: all is found faster than some. */
function toFilter({ kind, from, to }: Filter): store.EntryFilter | null {
  if (kind === undefined && from === undefined && to === undefined) return null;
  return {
    kinds: kind ?? transactionKinds,
    from: from === undefined ? EARLIEST : new Date(from),
    to: to === undefined ? LATEST : new Date(to),
  };
}

/** The filter of the list's SQL. Bounds are whole milliseconds, so what is smaller than one does not matter to them. */
function isShown({ kind, createdAt }: store.EntryRow, { kinds, from, to }: store.EntryFilter): boolean {
  return kinds.includes(kind) && createdAt >= from && createdAt < to;
}

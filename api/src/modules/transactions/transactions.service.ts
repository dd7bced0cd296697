/** Lists and exports the transactions of a customer, for themselves and for staff. Read-only. */
import { AppError } from '@cellhop/contract/errors';
import type { Transaction, TransactionSummary } from '@cellhop/contract/transactions';
import { transactionKinds, type TransactionKind } from '@cellhop/contract/transactions.values';
import { toDollars } from '@cellhop/contract/units';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import { readListed, toOffset, toTotalPages, type PageQuery } from '../../http/paging.ts';
import * as approvals from '../approvals/approvals.service.ts';
import * as ledger from '../ledger/ledger.service.ts';
import * as users from '../users/users.service.ts';
import { CSV_HEADER, toCsvLine, presentForStaff, presentTransaction } from './transactions-presenter.ts';
import * as store from './transactions.store.ts';

/** About 100 kB: all that a slow client keeps in memory. */
const CSV_BATCH_ROWS = 1000;
/** Outside the range that the contract accepts. */
const EARLIEST = new Date('1900-01-01T00:00:00Z');
const LATEST = new Date('9999-12-31T23:59:59Z');
/**
 * The time of a transfer is the start of its transaction, its id is ordered by when it got the account's lock. So times may be out of
 * order by the duration of a transaction, which is far below this.
 */
const REORDERING_MAX_MS = 3_600_000;

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
  const { list, count } = readingFor(ctx, actor.accountId, query);
  const [rows, found] = await Promise.all([list(), count(null)]);
  return { data: rows.map(presentTransaction), totalPages: toTotalPages(found, query) };
}

/** The same for staff, with the balance of now, and who made each adjustment and why. @throws AppError NOT_FOUND */
export async function listOfUser(ctx: Ctx, { userId, ...query }: Filter & PageQuery & { userId: string }) {
  const user = await users.findUser(ctx, userId);
  if (!user) throw new AppError('NOT_FOUND', { thing: 'User' });
  const [{ rows, ...pages }, { balanceMicros, heldMicros }] = await Promise.all([
    readListed(query, readingFor(ctx, user.accountId, query)),
    ledger.readBalance(ctx, user.accountId),
  ]);
  const notes = await approvals.findNotes(
    ctx,
    rows.flatMap(({ requestId }) => requestId ?? []),
  );
  return {
    data: rows.map((row) => presentForStaff(row, notes)),
    ...pages,
    user: { id: user.id, email: user.email },
    balance: toDollars(balanceMicros),
    held: toDollars(heldMicros),
  };
}

function readingFor(ctx: Ctx, accountId: bigint, query: Filter & PageQuery) {
  const filter = toFilter(query);
  return {
    list: () => store.listEntries(ctx, accountId, null, { filter, limit: query.size, offset: toOffset(query) }),
    count: (limit: number | null) => store.countEntries(ctx, accountId, filter, limit),
  };
}

/**
 * Streams the CSV in batches. Each continues at the row and balance where the previous one ended, so no transaction stays open while
 * a slow client reads. Transfers posted meanwhile are newer than the first row, so they are not included.
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
    // Stops at the start of the range, so that older history costs nothing.
    if (filter !== null && last.createdAt.getTime() < filter.from.getTime() - REORDERING_MAX_MS) return;
    start = { beforeId: last.id, balanceMicros: last.balanceAfterMicros - last.micros };
  }
}

/** Null if there is no filter, which allows a faster query. */
function toFilter({ kind, from, to }: Filter): store.EntryFilter | null {
  if (kind === undefined && from === undefined && to === undefined) return null;
  return {
    kinds: kind ?? transactionKinds,
    from: from === undefined ? EARLIEST : new Date(from),
    to: to === undefined ? LATEST : new Date(to),
  };
}

/** The same filter as the SQL of the list. Bounds are whole milliseconds, so the precision of Date is enough. */
function isShown({ kind, createdAt }: store.EntryRow, { kinds, from, to }: store.EntryFilter): boolean {
  return kinds.includes(kind) && createdAt >= from && createdAt < to;
}

/** The sums of a statement, for a customer's accountant. The balances are derived from the current one, so opening balance, sums and closing balance always add up. */
export async function summarizeTransactions(
  ctx: Ctx,
  { accountId }: Actor,
  range: { from: string; to: string },
): Promise<TransactionSummary> {
  const { balanceMicros, laterMicros, kinds } = await store.sumEntries(
    ctx,
    accountId,
    new Date(range.from),
    new Date(range.to),
  );
  const closingMicros = balanceMicros - laterMicros;
  const totalMicros = kinds.reduce((sum, { micros }) => sum + micros, 0n);
  return {
    openingBalance: toDollars(closingMicros - totalMicros),
    closingBalance: toDollars(closingMicros),
    kinds: transactionKinds.flatMap((kind) =>
      kinds
        .filter((each) => each.kind === kind)
        .map(({ count, micros }) => ({ kind, count, amount: toDollars(micros) })),
    ),
  };
}

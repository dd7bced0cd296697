/** The catalogue as staff see it: all proxies, bulk changes of price, retiring, and files with the columns of an import. */
import { BULK_PROXIES_MAX, PROXY_PRICE_MAX } from '@cellhop/contract/limits';
import { AppError } from '@cellhop/contract/errors';
import { formatExit, namesOf } from '@cellhop/contract/exits';
import type { InventoryFilter, InventoryProxy, PriceChange, Selection } from '@cellhop/contract/staff/inventory';
import type { FileFormat, InventorySort, ProxyState } from '@cellhop/contract/staff/inventory.values';
import { toDollars, toMicros } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { type PageQuery, readListed } from '../../http/paging.ts';
import type { Requester } from '../../http/requester.ts';
import { STAFF } from '../../live/changes.ts';
import { record } from '../audit-log/audit-log.service.ts';
import { fileEnds, toFileLine } from './inventory-file.ts';
import type { SeenProxies } from './inventory-filter.ts';
import * as store from './inventory.store.ts';
import { ownLimits } from './limits.service.ts';
import { compareWithSold, type FoundPlace, openPlaces } from './place-files.service.ts';

/** The author of a change. Both fields are undefined for the operator on the command line. */
export interface Editor {
  actorId: string | undefined;
  requester: Requester | undefined;
}

type ListQuery = InventoryFilter & PageQuery & { sort: InventorySort };

export async function listInventory(ctx: Ctx, { page, size, sort, ...filter }: ListQuery) {
  const { rows, ...pages } = await readListed(
    { page, size },
    {
      list: () => store.listInventory(ctx, filter, sort, { page, size }),
      count: (limit) => store.countInventory(ctx, filter, limit),
    },
  );
  const placeOf = await openPlaces(ctx);
  return { data: rows.map((row) => present(row, placeOf(row.seenAddress))), ...pages };
}

function present(row: store.InventoryRow, seenPlace: FoundPlace | null): InventoryProxy {
  const { priceMicros, exitId, connectionId, connectedAt, userId, userEmail } = row;
  const { health, checkedAt, latencyMs, checkFailure, seenAddress, isAddressDifferent, udp, ipv6, dns, resolver } = row;
  return {
    ...row,
    ip: row.ip ?? '',
    price: toDollars(priceMicros),
    exit: {
      id: exitId,
      node: row.node,
      kind: row.exitKind,
      address: formatExit(row.exitKind, row.parameters) || null,
      names: namesOf(row.parameters, dns),
    },
    check: {
      health,
      checkedAt: checkedAt?.toISOString() ?? null,
      latencyMs,
      reason: checkFailure,
      seenAddress,
      isAddressDifferent,
      seenPlace,
      capabilities: { udp, ipv6, dns, resolver },
      isPlaceDifferent: Object.values(compareWithSold(row, seenPlace)).includes(false),
    },
    limits: ownLimits(row),
    rotation: row.rotates ? { cooldownSeconds: row.cooldownSeconds, changesPerHour: row.changesPerHour } : null,
    state: toState(row),
    isHealthy: row.isExitHealthy,
    connection:
      connectionId === null
        ? null
        : { id: connectionId, createdAt: connectedAt!.toISOString(), user: { id: userId!, email: userEmail! } },
  };
}

/** Rows that are locked at the same time. */
const BUDGET_BATCH = 1000;

/** Nothing is sold of these exits, whose traffic budget is used up; of all others it is. */
export async function followBudgets(ctx: Ctx, spentExitIds: readonly string[]): Promise<void> {
  let changed = 0;
  for (let count = BUDGET_BATCH; count >= BUDGET_BATCH; changed += count)
    count = await store.followBudgets(ctx, spentExitIds, BUDGET_BATCH);
  if (changed > 0) ctx.changed(STAFF, 'staff-catalogue');
}

function toState({
  connectionId,
  isRetired,
  isExitHealthy,
  health,
  isNodeDraining,
  isOverBudget,
  isOffered,
}: store.InventoryRow): ProxyState {
  if (connectionId !== null) return 'SOLD';
  if (isRetired) return 'RETIRED';
  if (!isExitHealthy) return health === 'UNCHECKED' ? 'UNCHECKED' : 'UNHEALTHY';
  if (isNodeDraining) return 'DRAINING';
  if (isOverBudget) return 'SPENT';
  return isOffered ? 'FREE' : 'UNHEALTHY';
}

/** @throws AppError VALIDATION if there are too many for one change */
export async function readSelection(ctx: Ctx, filter: InventoryFilter): Promise<Selection> {
  const { count, fingerprint, lowestMicros, highestMicros } = await store.readSelection(
    ctx,
    filter,
    BULK_PROXIES_MAX + 1,
  );
  if (count > BULK_PROXIES_MAX)
    throw AppError.validation([
      { path: 'query', message: `matches more than ${BULK_PROXIES_MAX} proxies, the limit of one change` },
    ]);
  return {
    count,
    fingerprint,
    lowestPrice: lowestMicros === null ? null : toDollars(lowestMicros),
    highestPrice: highestMicros === null ? null : toDollars(highestMicros),
  };
}

/** @returns the number of proxies. @throws AppError CHANGED_ELSEWHERE if they are not exactly those that were seen */
export async function requireSame(ctx: Ctx, { filter, count, fingerprint }: SeenProxies): Promise<number> {
  const found = await store.readSelection(ctx, filter, BULK_PROXIES_MAX + 1);
  if (found.count !== count || found.fingerprint !== fingerprint) throw new AppError('CHANGED_ELSEWHERE');
  return count;
}

/** One bulk change or import at a time, until the end of the transaction. */
export const lock = store.lockInventory;

/** Called after each batch of proxies. */
export type OnProgress = (doneCount: number) => Promise<void>;

/** Open connections keep the price of their purchase. Call it in a transaction, like `retire` and `restore`. */
export function changePrices(
  ctx: Ctx,
  editor: Editor,
  seen: SeenProxies,
  change: PriceChange,
  onProgress: OnProgress,
): Promise<void> {
  return changeAll(ctx, editor, seen, { action: 'PROXY_PRICES_CHANGED', change }, onProgress);
}

/** Removes proxies from the catalogue. Open connections continue; afterwards the proxy is not sold again. */
export function retire(ctx: Ctx, editor: Editor, seen: SeenProxies, onProgress: OnProgress): Promise<void> {
  return changeAll(ctx, editor, seen, { action: 'PROXIES_RETIRED', change: { retire: true } }, onProgress);
}

export function restore(ctx: Ctx, editor: Editor, seen: SeenProxies, onProgress: OnProgress): Promise<void> {
  return changeAll(ctx, editor, seen, { action: 'PROXIES_RESTORED', change: { restore: true } }, onProgress);
}

interface BulkAction {
  action: 'PROXY_PRICES_CHANGED' | 'PROXIES_RETIRED' | 'PROXIES_RESTORED';
  change: Parameters<typeof store.toAssignment>[0];
}

/** @throws AppError CHANGED_ELSEWHERE if the proxies are not exactly those that were seen */
async function changeAll(
  ctx: Ctx,
  { actorId, requester }: Editor,
  { filter, reason, count, fingerprint }: SeenProxies,
  { action, change }: BulkAction,
  onProgress: OnProgress,
): Promise<void> {
  const assignment = store.toAssignment(change, toMicros(PROXY_PRICE_MAX));
  const { ids, ...found } = await store.lockSelection(ctx, filter, count + 1);
  if (found.count !== count || found.fingerprint !== fingerprint) throw new AppError('CHANGED_ELSEWHERE');
  for (let done = 0; done < count;) {
    const batch = ids.slice(done, done + CHANGED_ROWS);
    await store.changeSome(ctx, batch, assignment);
    done += batch.length;
    await onProgress(done);
  }
  await record(ctx, {
    action,
    actorId,
    requester,
    subject: { type: 'PROXY', ...(found.onlyId !== null && { id: found.onlyId }) },
    reason,
    details: { count, filter: JSON.stringify(filter) },
    ...(action === 'PROXY_PRICES_CHANGED' && {
      before: { lowestPrice: toDollars(found.lowestMicros!), highestPrice: toDollars(found.highestMicros!) },
      after: { ...change },
    }),
  });
}

/** Between two reports of progress. */
const CHANGED_ROWS = 5000;

const PAGE_ROWS = 1000;

/** Each page of rows is a separate statement, so a proxy that changes during the export appears in its old or its new state. */
export async function* exportInventory(
  ctx: Ctx,
  editor: Editor,
  filter: InventoryFilter,
  format: FileFormat,
): AsyncGenerator<string> {
  await record(ctx, {
    action: 'CATALOGUE_EXPORTED',
    ...editor,
    subject: { type: 'PROXY' },
    details: { format, filter: JSON.stringify(filter) },
  });
  yield fileEnds[format].start;
  let lines = 0;
  for (let after: store.ExportedRow | undefined; ;) {
    const rows: store.ExportedRow[] = await store.listAfter(ctx, filter, after, PAGE_ROWS);
    if (rows.length > 0) yield rows.map((row) => toFileLine(format, row, lines++ === 0)).join('');
    if (rows.length < PAGE_ROWS) break;
    after = rows.at(-1);
  }
  yield fileEnds[format].end;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** A job: removes the proxies of a draining node from the catalogue, and returns them when draining ends. */
export async function followDraining(ctx: Ctx, { nodeId }: { nodeId: string }, batchRows = 5000): Promise<void> {
  for (let afterId: string | null = FIRST_ID; afterId !== null;)
    afterId = await store.followDraining(ctx, nodeId, afterId, batchRows);
}

const FOLLOWING_ROWS = 5000;
/** What is left follows with the next check of the exit. */
const FOLLOWING_BATCHES_MAX = 20;

/** Takes the proxies of exits that do not work out of the catalogue, and returns those of exits that work again. */
export async function followExits(ctx: Ctx, exitIds: readonly string[]): Promise<void> {
  for (let batch = 0; batch < FOLLOWING_BATCHES_MAX; batch++)
    if ((await store.followExits(ctx, exitIds, FOLLOWING_ROWS)) < FOLLOWING_ROWS) return;
}

/** Changes have given these exits other public addresses: what was promised is no more, and the catalogue shows what is seen. */
export async function promiseNoAddress(ctx: Ctx, exitIds: readonly string[]): Promise<void> {
  await store.promiseNoAddress(ctx, exitIds);
  ctx.changed(STAFF, 'staff-catalogue');
}

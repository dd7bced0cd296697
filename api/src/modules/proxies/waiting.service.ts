/** Imported lines without an address: they wait outside the catalogue until a check of their exit sees it. */
import { AppError } from '@cellhop/contract/errors';
import { formatExit } from '@cellhop/contract/exits';
import type { WaitingProxy } from '@cellhop/contract/staff/waiting-proxies';
import { toDollars } from '@cellhop/contract/units';
import type { Ctx } from '../../ctx.ts';
import { type PageQuery, readListed } from '../../http/paging.ts';
import { STAFF } from '../../live/changes.ts';
import { record } from '../audit-log/audit-log.service.ts';
import type { Editor } from './inventory.service.ts';
import { completePlace, openPlaces } from './place-files.service.ts';
import * as store from './waiting.store.ts';

/** Checks have seen public addresses of these exits. */
export async function addSeen(ctx: Ctx, exitIds: readonly string[]): Promise<void> {
  await completeSeen(ctx, exitIds);
  if ((await store.addSeen(ctx, exitIds)) > 0) ctx.changed(STAFF, 'staff-catalogue');
}

/** Gives waiting lines their country and operator, where files tell them. */
async function completeSeen(ctx: Ctx, exitIds: readonly string[]): Promise<void> {
  const { countryFile, operatorFile } = ctx.config.places;
  if (countryFile === undefined && operatorFile === undefined) return;
  const rows = await store.listUnplaced(ctx, exitIds);
  if (rows.length === 0) return;
  const placeOf = await openPlaces(ctx);
  await store.savePlaces(
    ctx,
    rows.map((row) => ({ ...row, ...completePlace(row, placeOf(row.seenAddress)) })),
  );
}

export async function listWaiting(ctx: Ctx, page: PageQuery) {
  const { rows, ...pages } = await readListed(page, {
    list: () => store.listWaiting(ctx, page),
    count: (limit) => store.countWaiting(ctx, limit),
  });
  return { data: rows.map(present), ...pages };
}

function present({ priceMicros, createdAt, checkedAt, ...row }: store.WaitingRow): WaitingProxy {
  return {
    ...row,
    exit: formatExit(row.exitKind, row.parameters, row.hasCredentials),
    price: toDollars(priceMicros),
    createdAt: createdAt.toISOString(),
    checkedAt: checkedAt?.toISOString() ?? null,
  };
}

/** The exit stays, without a proxy. @throws AppError NOT_FOUND */
export async function removeWaiting(ctx: Ctx, { actorId, requester }: Editor, exitId: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    if (!(await store.removeWaiting(ctx, exitId))) throw new AppError('NOT_FOUND', { thing: 'Proxy' });
    await record(ctx, {
      action: 'WAITING_PROXY_REMOVED',
      actorId,
      requester,
      subject: { type: 'PROXY' },
      details: { exitId },
    });
    ctx.changed(STAFF, 'staff-catalogue');
  });
}

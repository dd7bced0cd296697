/** Prepared texts that staff insert into their answers, each in both languages. */
import { AppError } from '@cellhop/contract/errors';
import { CANNED_REPLIES_MAX } from '@cellhop/contract/limits';
import type { CannedReply, CannedReplyBody } from '@cellhop/contract/staff/canned-replies';
import type { Ctx } from '../../ctx.ts';
import { requireSameRequest, refuseStale } from '../../db/refusals.ts';
import { STAFF } from '../../live/changes.ts';
import { record, type AuditEntry } from '../audit-log/audit-log.service.ts';
import * as store from './canned-replies.store.ts';
import type { StaffRequest } from './staff-tickets.service.ts';

export async function listReplies(ctx: Ctx): Promise<CannedReply[]> {
  return (await store.listReplies(ctx, CANNED_REPLIES_MAX)).map(present);
}

/** @throws AppError VALIDATION, IDEMPOTENCY_KEY_REUSED */
export function createReply(ctx: Ctx, body: CannedReplyBody, request: StaffRequest): Promise<CannedReply> {
  const { actor, key = null } = request;
  return ctx.tx(async (ctx) => {
    const count = await store.lockAndCountReplies(ctx);
    const row = await store.insertReply(ctx, body, actor.userId, key);
    if (!row) return present(requireSameRequest(await store.findReplyByKey(ctx, actor.userId, key), isSameAs(body)));
    if (count >= CANNED_REPLIES_MAX)
      throw AppError.validation([
        { path: 'body', message: `There are at most ${String(CANNED_REPLIES_MAX)} canned replies` },
      ]);
    await recordFor(ctx, row, request, { action: 'CANNED_REPLY_CREATED' });
    return present(row);
  });
}

/** @throws AppError NOT_FOUND, CHANGED_ELSEWHERE */
export function changeReply(
  ctx: Ctx,
  id: string,
  { version, ...body }: CannedReplyBody & { version?: number | undefined },
  request: StaffRequest,
): Promise<CannedReply> {
  return ctx.tx(async (ctx) => {
    const old = requireReply(await store.lockReply(ctx, id));
    refuseStale(version, old.version);
    const row = await store.updateReply(ctx, id, body);
    await recordFor(ctx, row, request, {
      action: 'CANNED_REPLY_CHANGED',
      before: changed(old, row),
      after: changed(row, old),
    });
    return present(row);
  });
}

/** @throws AppError NOT_FOUND, CHANGED_ELSEWHERE */
export function deleteReply(
  ctx: Ctx,
  { id, version }: { id: string; version?: number | undefined },
  request: StaffRequest,
): Promise<{ id: string }> {
  return ctx.tx(async (ctx) => {
    const row = requireReply(await store.lockReply(ctx, id));
    refuseStale(version, row.version);
    await store.deleteReply(ctx, id);
    await recordFor(ctx, row, request, { action: 'CANNED_REPLY_DELETED' });
    return { id };
  });
}

function requireReply(row: store.CannedReplyRow | undefined): store.CannedReplyRow {
  if (!row) throw new AppError('NOT_FOUND', { thing: 'Canned reply' });
  return row;
}

function isSameAs({ title, contentEn, contentRu }: CannedReplyBody) {
  return (row: store.CannedReplyRow) =>
    row.title === title && row.contentEn === contentEn && row.contentRu === contentRu;
}

const recorded = ['title', 'contentEn', 'contentRu'] as const;

/** The values that differ from those of the other row. */
function changed(row: store.CannedReplyRow, other: store.CannedReplyRow): Record<string, string> {
  return Object.fromEntries(recorded.filter((key) => row[key] !== other[key]).map((key) => [key, row[key]]));
}

/** Also updates the open pages of staff. Replies belong to no ticket: the entry names the reply. */
async function recordFor(
  ctx: Ctx,
  { id, title }: store.CannedReplyRow,
  { actor, requester }: StaffRequest,
  entry: Pick<AuditEntry, 'action' | 'before' | 'after'>,
): Promise<void> {
  ctx.changed(STAFF, 'staff-tickets');
  await record(ctx, {
    ...entry,
    actorId: actor.userId,
    subject: { type: 'TICKET' },
    requester,
    details: { cannedReplyId: id, title },
  });
}

function present({ updatedAt, ...row }: store.CannedReplyRow): CannedReply {
  return { ...row, updatedAt: updatedAt.toISOString() };
}

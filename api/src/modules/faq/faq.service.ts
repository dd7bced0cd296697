/** Frequently asked questions: an entry is a question with its answer in each language. Staff change them. */
import { AppError } from '@cellhop/contract/errors';
import type { Faq } from '@cellhop/contract/faq';
import { FAQ_ENTRIES_MAX } from '@cellhop/contract/limits';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { FaqEntry, FaqText, FaqTexts } from '@cellhop/contract/staff/faq';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Ctx } from '../../ctx.ts';
import type { Actor } from '../../http/actor.ts';
import type { Requester } from '../../http/requester.ts';
import { requireSameRequest, refuseStale } from '../../db/refusals.ts';
import { record, type AuditEntry } from '../audit-log/audit-log.service.ts';
import * as store from './faq.store.ts';

export function listFaq(ctx: Ctx, languageCode: LanguageCode): Promise<Faq[]> {
  return store.listOfLanguage(ctx, languageCode);
}

const languages = ['en', 'ru'] as const satisfies readonly LanguageCode[];

/** The author of a change. */
interface Editor {
  actor: Pick<Actor, 'userId'>;
  requester: Requester;
}

interface Entry extends Omit<FaqEntry, 'createdAt' | 'updatedAt'> {
  position: number;
  idempotencyKey: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export async function listEntries(ctx: Ctx): Promise<FaqEntry[]> {
  return (await readEntries(ctx)).map(present);
}

/** @throws AppError VALIDATION if the number of entries has reached its maximum, IDEMPOTENCY_KEY_REUSED */
export function createEntry(ctx: Ctx, editor: Editor, texts: FaqTexts, key: string | null): Promise<FaqEntry> {
  const idempotencyKey = key === null ? null : `${editor.actor.userId}:${key}`;
  return ctx.tx(async (ctx) => {
    await store.lockFaq(ctx);
    const entries = await readEntries(ctx);
    const made = entries.find((entry) => idempotencyKey !== null && entry.idempotencyKey === idempotencyKey);
    if (made) return present(requireSameRequest(made, (entry) => isDeepStrictEqual(entry.texts, texts)));
    if (entries.length >= FAQ_ENTRIES_MAX)
      throw AppError.validation([{ path: 'body', message: `there are ${FAQ_ENTRIES_MAX} entries already` }]);
    const entryId = await insertEntry(ctx, texts, idempotencyKey);
    await recordChange(ctx, editor, entryId, { action: 'FAQ_CREATED', after: toAuditValues(texts) });
    return present(requireEntry(await readEntries(ctx), entryId));
  });
}

/** For the demo. */
export async function insertEntry(ctx: Ctx, texts: FaqTexts, idempotencyKey: string | null): Promise<string> {
  const last = (await store.listRows(ctx)).at(-1);
  const row = { entryId: randomUUID(), position: (last?.position ?? -1) + 1, idempotencyKey };
  for (const languageCode of languages) {
    const text = texts[languageCode];
    if (text) await store.insertText(ctx, { ...row, languageCode, ...text });
  }
  return row.entryId;
}

/** @throws AppError NOT_FOUND, CHANGED_ELSEWHERE */
export function changeEntry(
  ctx: Ctx,
  editor: Editor,
  id: string,
  { texts, version }: { texts: FaqTexts; version?: number | undefined },
): Promise<FaqEntry> {
  return ctx.tx(async (ctx) => {
    const entry = await lockEntry(ctx, id, version);
    if (isDeepStrictEqual(entry.texts, texts)) return present(entry);
    for (const languageCode of languages) await saveText(ctx, entry, languageCode, texts[languageCode]);
    await store.saveVersion(ctx, id, entry.version + 1);
    await recordChange(ctx, editor, id, { action: 'FAQ_CHANGED', ...changedValues(entry.texts, texts) });
    return present(requireEntry(await readEntries(ctx), id));
  });
}

/**
 * Changes nothing if there is no entry above or below it.
 * @throws AppError NOT_FOUND, CHANGED_ELSEWHERE
 */
export function moveEntry(
  ctx: Ctx,
  editor: Editor,
  id: string,
  { direction, version }: { direction: 'UP' | 'DOWN'; version?: number | undefined },
): Promise<FaqEntry[]> {
  return ctx.tx(async (ctx) => {
    const entry = await lockEntry(ctx, id, version);
    const ids = (await readEntries(ctx)).map((each) => each.id);
    const from = ids.indexOf(id);
    const to = direction === 'UP' ? from - 1 : from + 1;
    const neighbour = ids[to];
    if (neighbour !== undefined) {
      ids[to] = id;
      ids[from] = neighbour;
      await store.savePositions(ctx, ids);
      await store.saveVersion(ctx, id, entry.version + 1);
      await recordChange(ctx, editor, id, {
        action: 'FAQ_MOVED',
        before: { place: from + 1 },
        after: { place: to + 1 },
      });
    }
    return listEntries(ctx);
  });
}

/** @throws AppError NOT_FOUND, CHANGED_ELSEWHERE */
export function deleteEntry(
  ctx: Ctx,
  editor: Editor,
  id: string,
  version: number | undefined,
): Promise<{ id: string }> {
  return ctx.tx(async (ctx) => {
    const { texts } = await lockEntry(ctx, id, version);
    await store.deleteEntry(ctx, id);
    await recordChange(ctx, editor, id, { action: 'FAQ_DELETED', before: toAuditValues(texts) });
    return { id };
  });
}

async function saveText(ctx: Ctx, entry: Entry, languageCode: LanguageCode, text: FaqText | null): Promise<void> {
  const before = entry.texts[languageCode];
  if (isDeepStrictEqual(before, text)) return;
  if (text === null) return store.deleteText(ctx, entry.id, languageCode);
  if (before !== null) return store.updateText(ctx, entry.id, languageCode, text);
  const { id: entryId, position, idempotencyKey } = entry;
  return store.insertText(ctx, { entryId, position, idempotencyKey, languageCode, ...text });
}

async function readEntries(ctx: Ctx): Promise<Entry[]> {
  const entries = new Map<string, Entry>();
  for (const { entryId, languageCode, question, response, updatedAt, ...row } of await store.listRows(ctx)) {
    const entry = entries.get(entryId) ?? { ...row, id: entryId, texts: { en: null, ru: null }, updatedAt };
    entry.texts[languageCode] = { question, response };
    if (updatedAt > entry.updatedAt) entry.updatedAt = updatedAt;
    entries.set(entryId, entry);
  }
  return [...entries.values()];
}

async function lockEntry(ctx: Ctx, id: string, version: number | undefined): Promise<Entry> {
  await store.lockFaq(ctx);
  const entry = requireEntry(await readEntries(ctx), id);
  refuseStale(version, entry.version);
  return entry;
}

function requireEntry(entries: readonly Entry[], id: string): Entry {
  const entry = entries.find((each) => each.id === id);
  if (!entry) throw new AppError('NOT_FOUND', { thing: 'FAQ item' });
  return entry;
}

function present({ id, texts, createdAt, updatedAt, version }: Entry): FaqEntry {
  return { id, texts, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString(), version };
}

type Change = Pick<AuditEntry, 'before' | 'after'> & {
  action: 'FAQ_CREATED' | 'FAQ_CHANGED' | 'FAQ_DELETED' | 'FAQ_MOVED';
};

function recordChange(ctx: Ctx, { actor, requester }: Editor, id: string, change: Change): Promise<void> {
  return record(ctx, { ...change, actorId: actor.userId, subject: { type: 'FAQ', id }, requester });
}

type TextValues = Record<string, string | null>;

/** Null in both: the entry has no text in the language. */
function toAuditValues({ en, ru }: FaqTexts): TextValues {
  return {
    enQuestion: en?.question ?? null,
    enResponse: en?.response ?? null,
    ruQuestion: ru?.question ?? null,
    ruResponse: ru?.response ?? null,
  };
}

function changedValues(before: FaqTexts, after: FaqTexts): { before: TextValues; after: TextValues } {
  const [old, changed] = [toAuditValues(before), toAuditValues(after)];
  const only = (values: TextValues) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => old[name] !== changed[name]));
  return { before: only(old), after: only(changed) };
}

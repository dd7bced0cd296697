import type { Faq } from '@cellhop/contract/faq';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { FaqText } from '@cellhop/contract/staff/faq';
import type { Ctx } from '../../ctx.ts';

/** One language of an entry. */
export interface FaqRow extends FaqText {
  entryId: string;
  languageCode: LanguageCode;
  position: number;
  version: number;
  idempotencyKey: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export function listOfLanguage(ctx: Ctx, languageCode: LanguageCode): Promise<Faq[]> {
  return ctx.db.query(
    'select id, question, response from faqs where language_code = $1 order by position, created_at, id',
    [languageCode],
  );
}

/** Lists the rows in the order of customers' lists. */
export function listRows(ctx: Ctx): Promise<FaqRow[]> {
  return ctx.db.query(
    `select entry_id as "entryId", language_code as "languageCode", question, response, position, version,
            idempotency_key as "idempotencyKey", created_at as "createdAt", updated_at as "updatedAt"
       from faqs order by position, created_at, id`,
  );
}

/** Locks all entries against changes by others until the end of the transaction. Readers are not blocked. */
export async function lockFaq(ctx: Ctx): Promise<void> {
  await ctx.db.query('lock table faqs in share row exclusive mode');
}

export interface SavedText extends FaqText {
  entryId: string;
  languageCode: LanguageCode;
  position: number;
  idempotencyKey: string | null;
}

export async function insertText(ctx: Ctx, text: SavedText): Promise<void> {
  await ctx.db.query(
    `insert into faqs (entry_id, language_code, question, response, position, idempotency_key)
     values ($1, $2, $3, $4, $5, $6)`,
    [text.entryId, text.languageCode, text.question, text.response, text.position, text.idempotencyKey],
  );
}

export async function updateText(
  ctx: Ctx,
  entryId: string,
  languageCode: LanguageCode,
  { question, response }: FaqText,
): Promise<void> {
  await ctx.db.query(
    'update faqs set question = $3, response = $4, updated_at = now() where entry_id = $1 and language_code = $2',
    [entryId, languageCode, question, response],
  );
}

export async function deleteText(ctx: Ctx, entryId: string, languageCode: LanguageCode): Promise<void> {
  await ctx.db.query('delete from faqs where entry_id = $1 and language_code = $2', [entryId, languageCode]);
}

/** Sets the version in all languages. */
export async function saveVersion(ctx: Ctx, entryId: string, version: number): Promise<void> {
  await ctx.db.query('update faqs set version = $2 where entry_id = $1', [entryId, version]);
}

/** Numbers all entries in the given order. */
export async function savePositions(ctx: Ctx, entryIds: readonly string[]): Promise<void> {
  await ctx.db.query(
    `update faqs set position = ordered.number - 1
       from unnest($1::uuid[]) with ordinality as ordered (entry_id, number)
      where faqs.entry_id = ordered.entry_id and position <> ordered.number - 1`,
    [entryIds],
  );
}

export async function deleteEntry(ctx: Ctx, entryId: string): Promise<void> {
  await ctx.db.query('delete from faqs where entry_id = $1', [entryId]);
}

/** Frequently asked questions, one ordered list per language. */
import { AppError } from '@cellhop/contract/errors';
import type { AdminFaq, CreateFaqBody, Faq, UpdateFaqBody } from '@cellhop/contract/faqs';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Ctx } from '../../ctx.ts';
import { toTotalPages, type PageQuery } from '../../http/paging.ts';
import * as store from './faqs.store.ts';

export function listFaqs(ctx: Ctx, languageCode: LanguageCode): Promise<Faq[]> {
  return store.listOfLanguage(ctx, languageCode);
}

export async function listForAdmin(
  ctx: Ctx,
  { languageCode, ...page }: PageQuery & { languageCode?: LanguageCode | undefined },
): Promise<{ data: AdminFaq[]; totalPages: number }> {
  const rows = await store.listAll(ctx, languageCode ?? null, page);
  return { data: rows.map(present), totalPages: toTotalPages(await store.countAll(ctx, languageCode ?? null), page) };
}

export async function createFaq(ctx: Ctx, faq: CreateFaqBody): Promise<AdminFaq> {
  return present(await store.insertFaq(ctx, faq));
}

/** @throws AppError NOT_FOUND */
export async function updateFaq(ctx: Ctx, id: string, change: UpdateFaqBody): Promise<AdminFaq> {
  const row = await store.updateFaq(ctx, id, change);
  if (!row) throw new AppError('NOT_FOUND', { thing: 'FAQ item' });
  return present(row);
}

/** @throws AppError NOT_FOUND */
export async function deleteFaq(ctx: Ctx, id: string): Promise<{ id: string }> {
  if (!(await store.deleteFaq(ctx, id))) throw new AppError('NOT_FOUND', { thing: 'FAQ item' });
  return { id };
}

function present({ createdAt, updatedAt, ...faq }: store.FaqRow): AdminFaq {
  return { ...faq, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

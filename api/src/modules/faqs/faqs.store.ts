import { FAQ_POSITION_MAX } from '@cellhop/contract/limits';
import type { CreateFaqBody, Faq, UpdateFaqBody } from '@cellhop/contract/faqs';
import type { LanguageCode } from '@cellhop/contract/schemas';
import type { Ctx } from '../../ctx.ts';
import { toOffset, type PageQuery } from '../../http/paging.ts';

export interface FaqRow extends Faq {
  languageCode: LanguageCode;
  position: number;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `id, question, response, language_code as "languageCode", position, created_at as "createdAt",
            updated_at as "updatedAt"`;
const ORDER = 'order by language_code, position, created_at, id';

export function listOfLanguage(ctx: Ctx, languageCode: LanguageCode): Promise<Faq[]> {
  return ctx.db.query(`select id, question, response from faqs where language_code = $1 ${ORDER}`, [languageCode]);
}

/** @param languageCode null for all languages */
export function listAll(ctx: Ctx, languageCode: LanguageCode | null, page: PageQuery): Promise<FaqRow[]> {
  return ctx.db.query(
    `select ${COLUMNS} from faqs where $1::text is null or language_code = $1 ${ORDER} limit $2 offset $3`,
    [languageCode, page.size, toOffset(page)],
  );
}

export async function countAll(ctx: Ctx, languageCode: LanguageCode | null): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }>(
    'select count(*)::int as count from faqs where $1::text is null or language_code = $1',
    [languageCode],
  );
  return row!.count;
}

/** Without a position it is appended to the list of its language. */
export async function insertFaq(ctx: Ctx, faq: CreateFaqBody): Promise<FaqRow> {
  const [row] = await ctx.db.query<FaqRow>(
    `insert into faqs (language_code, question, response, position)
     values ($1, $2, $3,
             coalesce($4, (select least(coalesce(max(position) + 1, 0), ${FAQ_POSITION_MAX})
                             from faqs where language_code = $1)))
     returning ${COLUMNS}`,
    [faq.languageCode, faq.question, faq.response, faq.position ?? null],
  );
  return row!;
}

export async function updateFaq(ctx: Ctx, id: string, change: UpdateFaqBody): Promise<FaqRow | undefined> {
  const [row] = await ctx.db.query<FaqRow>(
    `update faqs
        set language_code = coalesce($2, language_code), question = coalesce($3, question),
            response = coalesce($4, response), position = coalesce($5, position), updated_at = now()
      where id = $1 returning ${COLUMNS}`,
    [id, change.languageCode ?? null, change.question ?? null, change.response ?? null, change.position ?? null],
  );
  return row;
}

export async function deleteFaq(ctx: Ctx, id: string): Promise<boolean> {
  return (await ctx.db.query('delete from faqs where id = $1 returning id', [id])).length > 0;
}

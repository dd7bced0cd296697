import type { Company } from '@cellhop/contract/company';
import type { Ctx } from '../../ctx.ts';

export async function findCompany(ctx: Ctx, userId: string): Promise<Company | undefined> {
  const [row] = await ctx.db.query<Company>(
    'select name, address, tax_id as "taxId" from companies where user_id = $1',
    [userId],
  );
  return row;
}

export async function saveCompany(ctx: Ctx, userId: string, { name, address, taxId }: Company): Promise<void> {
  await ctx.db.query(
    `insert into companies (user_id, name, address, tax_id) values ($1, $2, $3, $4)
     on conflict (user_id) do update set name = excluded.name, address = excluded.address, tax_id = excluded.tax_id`,
    [userId, name, address, taxId],
  );
}

export async function deleteCompany(ctx: Ctx, userId: string): Promise<void> {
  await ctx.db.query('delete from companies where user_id = $1', [userId]);
}

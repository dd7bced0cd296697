import type { Company } from '@cellhop/contract/company';
import type { Actor } from '../../http/actor.ts';
import type { Ctx } from '../../ctx.ts';
import * as store from './company.store.ts';

/** Empty texts if the customer has given none. */
export async function getCompany(ctx: Ctx, { userId }: Actor): Promise<Company> {
  return (await store.findCompany(ctx, userId)) ?? { name: '', address: '', taxId: '' };
}

export async function saveCompany(ctx: Ctx, { userId }: Actor, company: Company): Promise<Company> {
  const isEmpty = Object.values(company).every((text) => text === '');
  await (isEmpty ? store.deleteCompany(ctx, userId) : store.saveCompany(ctx, userId, company));
  return company;
}

/** Call it in the transaction that deletes the account. */
export function removeCompany(ctx: Ctx, userId: string): Promise<void> {
  return store.deleteCompany(ctx, userId);
}

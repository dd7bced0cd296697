import type { Ctx } from '../../ctx.ts';
import type { Persons } from './approvals.store.ts';

/** The persons of a request that is not made yet. @param userId null: no customer */
export async function findPersons(ctx: Ctx, authorId: string, userId: string | null): Promise<Persons> {
  const [row] = await ctx.db.query<Persons>(
    `select encode(author.person, 'hex') as "authorPerson", encode(customer.person, 'hex') as "customerPerson",
            encode(referrer.person, 'hex') as "referrerPerson"
       from readable_users as author
       left join readable_users as customer on customer.id = $2::uuid
       left join readable_users as referrer on referrer.id = customer.referrer_id
      where author.id = $1`,
    [authorId, userId],
  );
  return row!;
}

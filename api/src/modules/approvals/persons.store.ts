/** What persons, with all their accounts, have asked for and received. */
import type { Ctx } from '../../ctx.ts';

/** Serializes the requests by and for these persons until the end of the transaction, so that none misses another in its sums. */
export async function lockPersons(ctx: Ctx, userIds: readonly string[]): Promise<void> {
  await ctx.db.query(
    `select pg_advisory_xact_lock(key)
       from (select distinct hashtextextended('staff_requests:' || coalesce(encode(person, 'hex'), id::text), 0) as key
               from readable_users where id = any($1::uuid[]) order by key) as keys`,
    [userIds],
  );
}

interface Sums {
  /** What the author's requests moved without approval. */
  authorMicros: bigint;
  /** What all requests for the customer moved. */
  customerMicros: bigint;
  /** The author is the customer, or the person who earns the bonus of their top-ups. */
  isCustomer: boolean;
  isReferrer: boolean;
}

/** Absolute amounts, of all accounts of each person. @param userId null: no customer */
export async function sumRecent(ctx: Ctx, authorId: string, userId: string | null, hours: number): Promise<Sums> {
  const [row] = await ctx.db.query<Sums>(
    `with author as (select person from readable_users where id = $1),
          customer as (select customer.person as person, referrer.person as referrer
                         from readable_users as customer
                         left join readable_users as referrer on referrer.id = customer.referrer_id
                        where customer.id = $2::uuid),
          recent as (select abs(amount_micros) as micros, requests.status, author.person as author,
                            customer.person as customer
                       from staff_requests as requests
                       join readable_users as author on author.id = author_id
                       join readable_users as customer on customer.id = requests.user_id
                      where requests.status in ('APPLIED', 'APPROVED')
                        and greatest(requests.created_at, decided_at) > now() - $3 * interval '1 hour')
     select coalesce(sum(micros) filter (where recent.author = author.person and status = 'APPLIED'), 0)::bigint as "authorMicros",
            coalesce(sum(micros) filter (where recent.customer = customer.person), 0)::bigint as "customerMicros",
            coalesce(author.person = customer.person, false) as "isCustomer",
            coalesce(author.person = customer.referrer, false) as "isReferrer"
       from author left join customer on true left join recent on true
      group by author.person, customer.person, customer.referrer`,
    [authorId, userId, hours],
  );
  return row!;
}

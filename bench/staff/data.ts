/**
 * Data for staff lists as after years of business: users, invoices, tickets, audit entries, promo codes, mails, notifications and requests,
 * inserted by one statement per table. The first user has a large share of the rows, and one member of staff wrote a third of the log.
 */
import type pg from 'pg';

export interface DataSizes {
  users: number;
  invoices: number;
  tickets: number;
  auditEntries: number;
}

/** The member of staff who wrote most answers and a third of the audit log. */
export const STAFF_EMAIL = 'busy.staff@example.com';

export async function insertStaffData(client: pg.Client, sizes: DataSizes): Promise<void> {
  const steps: [string, string, number][] = [
    ['users', USERS, sizes.users],
    ['promo codes', PROMO_CODES, Math.ceil(sizes.users / 10)],
    ['users of codes', USERS_OF_CODES, sizes.users],
    ['counts of codes', COUNTS_OF_CODES, 0],
    ['addresses', ADDRESSES, sizes.users],
    ['invoices', INVOICES, sizes.invoices],
    ['deposits', DEPOSITS, 0],
    ['tickets', TICKETS, sizes.tickets],
    ['answers', ANSWERS, 0],
    ['audit entries', AUDIT_ENTRIES, sizes.auditEntries],
    ['mails', MAILS, sizes.users],
    ['notifications', NOTIFICATIONS, sizes.users],
    ['requests', REQUESTS, Math.ceil(sizes.invoices / 10)],
  ];
  await client.query(NUMBERED_USERS);
  for (const [name, text, count] of steps) {
    const startedAt = performance.now();
    await client.query(text.includes('$1') ? { text, values: [count] } : { text });
    if (name === 'users') await client.query(NUMBERED_USERS);
    console.error(`${name}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  }
  await client.query('drop table bench_users');
  await client.query('vacuum analyze');
}

/** Customers in the order of their accounts; the buyers of the stored connections come first. */
const NUMBERED_USERS = `
  drop table if exists bench_users;
  create unlogged table bench_users as
    select row_number() over (order by account_id) as n, id, account_id from users where role_name = 'USER';
  create unique index on bench_users (n);
  analyze bench_users`;

const USERS = `
  with opened as (
    insert into accounts (kind) select 'USER' from generate_series(1, $1::int) returning id
  ), numbered as (
    select row_number() over (order by id) as n, id from opened
  ), staff as (
    insert into accounts (kind) values ('USER') returning id
  ), referrer as (
    select id from bench_users where n = 1
  )
  insert into users (email, password_hash, language_code, status, role_name, referral_code, referrer_id, account_id,
                     email_confirmed_at, created_at)
  select (array['anna', 'ivan', 'maria', 'john', 'olga', 'peter', 'wei', 'fatima'])[1 + n % 8] || '.' || md5(n::text) || '@'
           || (array['gmail.com', 'mail.ru', 'example.net', 'proton.me'])[1 + n % 4],
         'none', 'en', case when n % 100 = 0 then 'BLOCKED' when n % 333 = 0 then 'DELETED' else 'ACTIVE' end, 'USER', 'REFERRAL' || n,
         case when n % 50 = 0 then referrer.id end, numbered.id, case when n % 10 <> 0 then now() end,
         now() - n * interval '1 minute'
    from numbered, referrer
  union all
  select '${STAFF_EMAIL}', 'none', 'en', 'ACTIVE', 'ADMIN', 'BUSYSTAFF', null, id, now(), now() from staff`;

const PROMO_CODES = `
  insert into promo_codes (code, user_id, status, trial_credit_micros, created_at)
  select 'CODE' || code.n, id, case when code.n % 5 = 0 then 'DISABLED' else 'ACTIVE' end, 1000000, now() - code.n * interval '10 minutes'
    from (select g as n, 1 + case when g % 10 = 0 then 0 else g % (select count(*) from bench_users) end as owner
            from generate_series(1, $1::int) as g) as code
    join bench_users on bench_users.n = owner`;

/** A fifth of all users came with the newest code. An update, which the trigger of sign-ups does not count. */
const USERS_OF_CODES = `
  update users set promo_code_id = promo_codes.id
    from bench_users, promo_codes
   where bench_users.id = users.id and bench_users.n <= $1::int and bench_users.n % 2 = 0
     and promo_codes.code = 'CODE' || case when bench_users.n % 10 < 4 then 1
                                            else 1 + bench_users.n % (select count(*) from promo_codes) end`;

const COUNTS_OF_CODES = `
  update promo_codes set registered_count = (select count(*) from users where promo_code_id = promo_codes.id)`;

const ADDRESSES = `
  insert into deposit_addresses (address_space, address, user_id, is_reused)
  select 'evm', '0x' || md5(n::text) || left(md5('a' || n), 8), id, false from bench_users where n <= $1::int`;

/** A tenth belongs to the first user. Amounts of 5 to 1,000 dollars, small ones more often. */
const INVOICES = `
  insert into invoices (user_id, currency, amount_micros, due_units, rate_e12, address_id, status, is_open, expired_at, created_at)
  select address.user_id, (array['USDT_BSC', 'USDT_ERC20', 'ETH', 'USDT_BSC', 'USDT_BSC'])[1 + invoice.n % 5],
         5000000 + (995 * power(random(), 3))::bigint * 1000000, 1000000, 1000000000000, address.id,
         case when invoice.n % 10 < 6 then 'PAID' when invoice.n % 10 < 9 then 'EXPIRED' when invoice.n % 20 = 9 then 'PARTIALLY_PAID' else 'OVERPAID' end,
         false, now() - invoice.n * interval '1 minute' + interval '1 day', date_trunc('milliseconds', now() - invoice.n * interval '1 minute')
    from (select g as n, case when g % 10 = 0 then 1 else 1 + g % (select count(*) from deposit_addresses) end as holder
            from generate_series(1, $1::int) as g) as invoice
    join (select row_number() over (order by id) as n, id, user_id from deposit_addresses) as address (number, id, user_id)
      on address.number = holder`;

const DEPOSITS = `
  insert into deposits (chain, asset, transaction_id, output, address_id, invoice_id, units, state, arrived_at, credited_micros, credited_at)
  select 'bsc', 'USDT', '0x' || md5(id::text), 0, address_id, id, due_units, 'CREDITED', created_at, amount_micros, created_at
    from invoices where status = 'PAID'`;

/** A twentieth is open. */
const TICKETS = `
  insert into tickets (user_id, author_id, name, description, status, created_at, closed_at)
  select id, id,
         (array['Proxy is slow', 'Refund for a connection', 'Top-up has not arrived', 'Cannot sign in', 'Question about prices'])[1 + ticket.n % 5]
           || ' ' || (array['in Berlin', 'since yesterday', 'again', 'from my phone', 'please help'])[1 + (ticket.n / 5) % 5]
           || ' case' || ticket.n % 5000,
         'About proxies', case when ticket.n % 20 = 0 then 'OPEN' else 'CLOSED' end, now() - ticket.n * interval '1 minute',
         case when ticket.n % 20 = 0 then null else now() - ticket.n * interval '1 minute' + interval '1 day' end
    from (select g as n, case when g % 100 = 0 then 1 else 1 + g % (select count(*) from bench_users) end as customer
            from generate_series(1, $1::int) as g) as ticket
    join bench_users on bench_users.n = customer`;

/** Answers all closed tickets and a third of the open ones; the others wait. */
const ANSWERS = `
  insert into ticket_messages (ticket_id, author_id, is_user, content, created_at)
  select tickets.id, staff.id, false, 'An answer', tickets.created_at + interval '10 minutes'
    from tickets, (select id from users where email = '${STAFF_EMAIL}') as staff
   where status = 'CLOSED' or hashtext(tickets.id::text) % 3 = 0`;

/** A year. Customers' own sign-ins are most of it. */
const AUDIT_ENTRIES = `
  insert into audit_log (created_at, actor_id, action, subject_type, subject_id, user_id, ip, device, details)
  select now() - ($1::int - entry.n) * interval '31 seconds', case when entry.n % 3 = 0 then staff.id else customer.id end,
         case when entry.n % 3 <> 0 then 'SIGN_IN'
              else (array['TICKET_ANSWERED', 'USER_BLOCKED', 'PROXY_PRICES_CHANGED', 'INVOICE_SETTLED', 'TICKET_CLOSED'])[1 + (entry.n / 3) % 5] end,
         case when entry.n % 15 = 6 then 'PROXY' when entry.n % 3 = 0 then 'TICKET' else 'USER' end,
         case when entry.n % 15 = 6 then null else customer.id end, customer.id, '192.0.2.1', 'Chrome', '{"reason": "As asked"}'
    from (select g as n, case when g % 20 = 0 then 1 else 1 + g % (select count(*) from bench_users) end as customer
            from generate_series(1, $1::int) as g) as entry
    join bench_users as customer on customer.n = entry.customer
   cross join (select id from users where email = '${STAFF_EMAIL}') as staff
   order by entry.n`;

const MAILS = `
  insert into sent_mails (id, user_id, template, language_code, queued_at, sent_at)
  select gen_random_uuid(), id, 'new-sign-in', 'en', now() - mail.n * interval '1 second', now()
    from (select g as n, case when g % 50 = 0 then 1 else 1 + g % (select count(*) from bench_users) end as reader
            from generate_series(1, $1::int) as g) as mail
    join bench_users on bench_users.n = reader`;

const NOTIFICATIONS = `
  insert into notifications (user_id, idempotency_key, kind, details, created_at)
  select id, 'bench:' || notice.n, 'MESSAGE', '{"description": "A message", "content": null}', now() - notice.n * interval '1 second'
    from (select g as n, case when g % 50 = 0 then 1 else 1 + g % (select count(*) from bench_users) end as reader
            from generate_series(1, $1::int) as g) as notice
    join bench_users on bench_users.n = reader`;

const REQUESTS = `
  insert into staff_requests (kind, status, user_id, amount_micros, reason, author_id, created_at, lapses_at)
  select 'ADJUSTMENT', case when g % 100 = 0 then 'PENDING' else 'APPLIED' end, bench_users.id, 1000000, 'As agreed', staff.id,
         now() - g * interval '5 minutes', case when g % 100 = 0 then now() + interval '2 days' end
    from generate_series(1, $1::int) as g
    join bench_users on bench_users.n = case when g % 10 = 0 then 1 else 1 + g % (select count(*) from bench_users) end
   cross join (select id from users where email = '${STAFF_EMAIL}') as staff`;

import type pg from 'pg';

/** Connections per statement; bounds memory and locks. */
const CHUNK = 50_000;

/**
 * Inserts connections that ended long ago, in batches: each has paid 58 MB in nine charges and was settled, with ten transfers
 * in total. Their charge hashes are fake.
 */
export async function insertEndedConnections(client: pg.Client, count: number): Promise<void> {
  await client.query(
    "insert into gateway_runs (id, node_id) select '00000000-0000-4000-8000-000000000000', id from gateway_nodes",
  );
  for (let first = 0; first < count; first += CHUNK) await insertChunk(client, first, Math.min(CHUNK, count - first));
}

async function insertChunk(client: pg.Client, first: number, count: number): Promise<void> {
  await client.query('begin');
  await client.query(
    `create temporary table stored on commit drop as
     with escrow as (
       select nextval('accounts_id_seq') as id, sha256(n::text::bytea) as charge_hash, $1::bigint + n as n
         from generate_series(1, $2::int) as n
     ), buyer as (
       select row_number() over (order by id) as n, id as user_id, account_id from users
     ), wanted as (
       select row_number() over (order by id) as n, id as proxy_id, exit_id from proxies
     )
     select gen_random_uuid() as id, user_id, account_id, proxy_id, exit_id, escrow.id as escrow_id, charge_hash, escrow.n
       from escrow
       join buyer on buyer.n = 1 + escrow.n % (select count(*) from buyer)
       join wanted on wanted.n = 1 + escrow.n % (select count(*) from wanted)`,
    [first, count],
  );
  await client.query(
    `insert into transfers (debit_account_id, credit_account_id, amount_micros, reason, megabyte_from, megabyte_to,
                            uploaded_bytes, downloaded_bytes, charge_hash, created_at)
     select account_id, escrow_id, case part when 0 then 400000 else 8000 end,
            (case part when 0 then 'PREPAID_50_MB' else 'MEGABYTE' end)::transfer_reason, case part when 0 then 0 else part + 49 end,
            part + 50, 0, part * 1048576, charge_hash, now() - interval '90 days'
       from stored, generate_series(0, 8) as part order by n, part`,
  );
  await client.query(
    `insert into transfers (idempotency_key, debit_account_id, credit_account_id, amount_micros, reason, created_at)
     select 'connection:' || id || ':settle', escrow_id, 2, 464000, 'SETTLE', now() - interval '90 days' from stored`,
  );
  await client.query(
    `with paid as (select account_id, count(*) * 464000 as micros from stored group by account_id)
     update accounts set balance_micros = balance_micros - micros from paid where accounts.id = account_id`,
  );
  await client.query('update accounts set balance_micros = balance_micros + 464000 * $1::bigint where id = 2', [count]);
  await client.query(
    `insert into connections (id, user_id, proxy_id, exit_id, payer_account_id, escrow_account_id, price_micros, status, end_reason,
                              username, password_encrypted, password_hash, used_bytes, granted_bytes, charged_megabytes,
                              charge_count, charge_hash, created_at, ended_at)
     select id, user_id, proxy_id, exit_id, account_id, escrow_id, 800000, 'DISCONNECT_USER', 'USER', 'stored' || n, '', '',
            58 * 1048576, 58 * 1048576, 58, 9, charge_hash, now() - interval '90 days', now() - interval '89 days'
       from stored`,
  );
  await client.query(
    `insert into connection_runs (connection_id, run_id, used_bytes, granted_bytes, is_open)
     select id, '00000000-0000-4000-8000-000000000000', 58 * 1048576, 58 * 1048576, false from stored`,
  );
  await client.query('commit');
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '../../test/factories.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { cleanUp } from './clean-up.ts';
import { deleteOld } from '../modules/audit-log/audit-log.service.ts';
import { deleteExpired } from '../modules/auth/auth.service.ts';
import { warnOfLowBalances } from '../modules/billing/alerts.service.ts';
import { deleteOldNotifications } from '../modules/notifications/notifications.service.ts';

const BATCH = 1000;
const ROWS = 2 * BATCH + 500;

let testApp: TestApp;
let user: TestUser;

beforeAll(async () => {
  testApp = await startTestApp();
  user = await createUser(testApp);
  await testApp.database.query('create table deletions (table_name text, row_count integer)');
  await testApp.database.query(
    `create function count_deletions() returns trigger language plpgsql as $$
     begin
       insert into deletions select tg_table_name, count(*) from gone;
       return null;
     end $$`,
  );
});
afterAll(() => testApp.stop());

const count = async (table: string) =>
  (await testApp.database.query<{ count: number }>(`select count(*)::int as count from ${table}`))[0]!.count;

/** `$1` is the user. `fill` inserts `$2` expired rows; `keep` inserts rows that must stay. */
const tables: { table: string; fill: string; keep: string; run: () => Promise<unknown> }[] = [
  {
    table: 'sessions',
    fill: `insert into sessions (user_id, generation, refresh_salt, refresh_token_hash, device, expired_at)
           select $1::uuid, 1, '', sha256(n::text::bytea), '', now() - interval '31 days' from generate_series(1, $2::int) as n`,
    keep: `insert into sessions (user_id, generation, refresh_salt, refresh_token_hash, device, expired_at)
           values ($1, 1, '', 'kept', '', now() - interval '29 days')`,
    run: () => deleteExpired(testApp.ctx),
  },
  {
    table: 'mail_codes',
    fill: `insert into mail_codes (user_id, email_hash, purpose, code_hash, created_at, expired_at)
           select case when n % 2 = 0 then $1::uuid end, 'email', 'CONFIRM_EMAIL', sha256(n::text::bytea),
                  now() - case when n % 2 = 0 then interval '31 days' else interval '3 days' end, now()
             from generate_series(1, 2 * $2::int) as n`,
    keep: `insert into mail_codes (user_id, email_hash, purpose, code_hash, created_at, expired_at)
           values ($1, 'email', 'CONFIRM_EMAIL', 'kept', now() - interval '3 days', now())`,
    run: () => deleteExpired(testApp.ctx),
  },
  {
    table: 'rate_limits',
    fill: `insert into rate_limits (key, points, expire)
           select 'old ' || $1::text || n, 1, 1000 from generate_series(1, $2::int) as n`,
    keep: "insert into rate_limits (key, points, expire) values ('kept ' || $1::text, 1, 1e15)",
    run: () => deleteExpired(testApp.ctx),
  },
  {
    table: 'known_devices',
    fill: `insert into known_devices (user_id, device, network, seen_at)
           select $1::uuid, 'device ' || n, '192.0.2.0/24', now() - interval '366 days' from generate_series(1, $2::int) as n`,
    keep: "insert into known_devices (user_id, device, network) values ($1, 'kept', '192.0.2.0/24')",
    run: () => deleteExpired(testApp.ctx),
  },
  {
    table: 'audit_log',
    fill: `insert into audit_log (action, actor_id, created_at)
           select 'OLD', $1::uuid, now() - interval '366 days' from generate_series(1, $2::int)`,
    keep: "insert into audit_log (action, actor_id, created_at) values ('KEPT', $1, now() - interval '364 days')",
    run: () => deleteOld(testApp.ctx),
  },
  {
    table: 'notifications',
    fill: `insert into notifications (user_id, idempotency_key, kind, details, created_at)
           select $1::uuid, 'old ' || n, 'LOW_BALANCE', '{}', now() - interval '91 days' from generate_series(1, $2::int) as n`,
    keep: "insert into notifications (user_id, idempotency_key, kind, details) values ($1, 'kept', 'LOW_BALANCE', '{}')",
    run: () => deleteOldNotifications(testApp.ctx),
  },
];

describe('a clean-up of more rows than a batch', () => {
  test.each(tables)(
    'of $table deletes expired rows in batches and keeps the rest',
    async ({ table, fill, keep, run }) => {
      const before = await count(table);
      await testApp.database.query(fill, [user.id, ROWS]);
      await testApp.database.query(keep, [user.id]);
      await testApp.database.query(
        `create trigger count_deletions after delete on ${table} referencing old table as gone
         for each statement execute function count_deletions()`,
      );
      await run();
      await testApp.database.query(`drop trigger count_deletions on ${table}`);
      expect(await count(table)).toBe(before + 1);
      const deletions = await testApp.database.query<{ rowCount: number }>(
        'select row_count as "rowCount" from deletions where table_name = $1',
        [table],
      );
      expect(deletions.length).toBeGreaterThan(2);
      expect(Math.max(...deletions.map(({ rowCount }) => rowCount))).toBe(BATCH);
    },
  );

  test('of notifications above the maximum of a user deletes them in batches', async () => {
    await testApp.database.query(
      `insert into notifications (user_id, idempotency_key, kind, details, created_at)
       select $1::uuid, 'new ' || n, 'LOW_BALANCE', '{}', now() - n * interval '1 millisecond'
         from generate_series(1, 5000) as n`,
      [user.id],
    );
    await deleteOldNotifications(testApp.ctx);
    const left = await count('notifications');
    await deleteOldNotifications(testApp.ctx);
    expect(left).toBeLessThan(5000);
    expect(await count('notifications')).toBe(left);
  });

  test('of low balance warnings deletes those of recovered balances', async () => {
    const [rich, poor] = [await createUser(testApp, { balanceMicros: 9_000_000n }), await createUser(testApp)];
    await testApp.database.query(
      'insert into low_balance_warnings (user_id, threshold_micros) values ($1, 5000000), ($2, 5000000)',
      [rich.id, poor.id],
    );
    await warnOfLowBalances(testApp.ctx);
    expect(await testApp.database.query('select user_id from low_balance_warnings')).toEqual([{ user_id: poor.id }]);
  });
});

describe('cleanUp', () => {
  test('stops after its maximum of batches, logs that, and continues at the next run', async () => {
    const warnings: unknown[] = [];
    const ctx = { ...testApp.ctx, log: { warn: (fields: unknown) => warnings.push(fields) } } as never;
    let left = 25;
    const deleteBatch = async (_: unknown, limit: number) => {
      const count = Math.min(limit, left);
      left -= count;
      return count;
    };
    const limits = { batchRows: 10, batchesMax: 2 };
    expect(await cleanUp(ctx, 'things', deleteBatch, limits)).toBe(20);
    expect(warnings).toEqual([{ what: 'things', deleted: 20 }]);
    expect(await cleanUp(ctx, 'things', deleteBatch, limits)).toBe(5);
    expect(warnings).toHaveLength(1);
  });

  test('keeps the batches deleted before a failure', async () => {
    await testApp.database.query('create table leftovers as select generate_series(1, 25) as id');
    let batches = 0;
    const deleteBatch = async (ctx: typeof testApp.ctx, limit: number) => {
      batches += 1;
      if (batches === 3) throw new Error('the database went away');
      const rows = await ctx.db.query(
        'delete from leftovers where id in (select id from leftovers order by id limit $1) returning id',
        [limit],
      );
      return rows.length;
    };
    await expect(cleanUp(testApp.ctx, 'leftovers', deleteBatch, { batchRows: 10 })).rejects.toThrow('went away');
    expect(await count('leftovers')).toBe(5);
  });
});

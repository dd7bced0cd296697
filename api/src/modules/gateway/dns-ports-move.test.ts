/** DNS ports of connections that were bought before ports belonged to nodes (migration 0042). */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { cloneDatabase } from '../../../../tools/test-database.mjs';
import { migrateUntil } from '../../../test/older-database.ts';
import { migrate } from '../../db/migrate.ts';

const userId = randomUUID();
let client: pg.Client;
let database: Awaited<ReturnType<typeof cloneDatabase>>;

const oldShop = `
  insert into roles (name, permissions) values ('USER', '{}') on conflict do nothing;
  insert into accounts (kind, balance_micros) values ('USER', 9000000);
  insert into users (id, email, password_hash, language_code, referral_code, account_id)
  values ('${userId}', 'old@example.com', '', 'en', 'OLDUSER', 1000);
  insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit)
  select '10.0.0.0'::inet + n, 800000, 'DE', '', '', '', '', '', '{"kind":"local-address","address":null}'
    from generate_series(1, 4) as n;
  insert into gateway_nodes (name, token_hash) values ('berlin', 'b'), ('default', 'd');
  insert into dns_ports (port) select generate_series(20000, 20002);
`;

beforeAll(async () => {
  database = await cloneDatabase(inject('postgresUrl'), 'template1');
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await migrateUntil(database.url, '0042');
  await client.query(oldShop);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Buys like processes of every version. */
async function buy(): Promise<{ id: string; dnsPort: number | null }> {
  const id = randomUUID();
  const { rows } = await client.query<{ outcome: string; dnsPort: number | null }>(
    `select outcome, dns_port as "dnsPort"
       from (select id from proxies where connection_id is null order by ip limit 1) as free,
            buy_proxy(free.id, 800000, $1, 1000, null, $2::uuid, $2::uuid::text, '', '', 100, 100)`,
    [userId, id],
  );
  expect(rows).toMatchObject([{ outcome: 'BOUGHT' }]);
  return { id, dnsPort: rows[0]!.dnsPort };
}

const portsOf = async () =>
  (
    await client.query<{ node: string; port: number; connectionId: string | null }>(
      `select name as node, port, node_dns_ports.connection_id as "connectionId"
         from node_dns_ports join gateway_nodes on gateway_nodes.id = node_id order by name, port`,
    )
  ).rows;

test('stay theirs, go to the built-in node, and are given to nobody else while older code sells', async () => {
  const before = await buy();
  expect(before.dnsPort).toBe(20_000);
  await migrateUntil(database.url, '0043');
  // The functions are still those of before.
  const between = await buy();
  expect(between.dnsPort).toBeNull();
  expect(await portsOf()).toEqual([
    { node: 'default', port: 20_000, connectionId: before.id },
    { node: 'default', port: 20_001, connectionId: null },
    { node: 'default', port: 20_002, connectionId: null },
  ]);
  await migrate(database.url);
  const after = await buy();
  expect(after.dnsPort).toBe(20_001);
  await client.query(`select end_connection($1, 'DISCONNECT_USER', 'USER', 'NONE', 0, 0)`, [before.id]);
  expect((await buy()).dnsPort).toBe(20_000);
});

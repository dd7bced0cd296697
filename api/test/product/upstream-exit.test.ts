/** A proxy whose exit is another proxy, from the file of staff to the receipt of the customer. */
import { connect, disconnect } from '@cellhop/contract/connections';
import { searchProxies } from '@cellhop/contract/proxies';
import { applyImport, checkImport, exportInventory, listInventory } from '@cellhop/contract/staff/inventory';
import { type FileFormat, importColumns, type ProxyState } from '@cellhop/contract/staff/inventory.values';
import { exportTransactions } from '@cellhop/contract/transactions';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { basic, openClient, socks5Connect } from '../../../gateway/test/gateway-harness.ts';
import { freePort } from '../../../tools/ports.mjs';
import { patternedBytes, type Reader, sha256, until } from '../../../gateway/test/sockets.ts';
import { startSocks5Upstream } from '../../../gateway/test/upstream.ts';
import { createUser, type TestUser } from '../factories.ts';
import { runJobs } from '../mail.ts';
import {
  buy,
  chargeFor,
  find,
  MB,
  PRICE,
  type Product,
  readCharges,
  startProduct,
  stopProduct,
  type UsableConnection,
} from './product.ts';

const CREDENTIALS = { username: 'modem-operator', password: 'secret-of-the-modem' };
const SECRETS = [
  CREDENTIALS.username,
  CREDENTIALS.password,
  Buffer.from(`${CREDENTIALS.username}:${CREDENTIALS.password}`).toString('base64').slice(0, 40),
];
const BODY = patternedBytes(18 * MB);

let product: Product;
let admin: TestUser;
let upstream: Awaited<ReturnType<typeof startSocks5Upstream>>;
let origin: Awaited<ReturnType<typeof startOrigin>>;
beforeAll(async () => {
  product = await startProduct();
  admin = await createUser(product, { roleName: 'ADMIN' });
  upstream = await startSocks5Upstream({ credentials: CREDENTIALS });
  origin = await startOrigin();
});
afterAll(async () => {
  expect(await stopProduct(product)).toEqual([]);
  upstream.stop();
  origin.server.close();
});

/** Serves the body, and counts what it receives and sends, which the gateway must charge. */
async function startOrigin() {
  const counted = { bytes: 0 };
  const server: Server = createServer((_request, response) => response.end(BODY)).listen(0, '127.0.0.1');
  server.on('connection', (socket) => {
    socket.once('close', () => (counted.bytes += socket.bytesRead + socket.bytesWritten));
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, counted, port, authority: `127.0.0.1:${port}` };
}

/** In the format of a file: with an exit of the built-in node. */
function fileOf(format: FileFormat, ip: string, upstreamPort: number): string {
  const exit = `socks5://${CREDENTIALS.username}:${CREDENTIALS.password}@127.0.0.1:${upstreamPort}`;
  const values = [ip, String(PRICE), 'DE', 'Berlin', 'Berlin', '10115', 'Telekom', 'LTE', 'default', 'socks5', exit];
  if (format === 'csv') return [importColumns.join(','), values.join(',')].join('\n');
  return JSON.stringify([Object.fromEntries(importColumns.map((column, index) => [column, values[index]!]))]);
}

const inInventory = async (ip: string) => (await admin.call(listInventory, { query: { ip } })).data[0]!;
const untilState = (ip: string, state: ProxyState) =>
  expect.poll(async () => (await inInventory(ip)).state).toBe(state);
const isOffered = async (ip: string) =>
  (await admin.call(searchProxies, { query: {} })).data.some((proxy) => proxy.ip === ip);

/** Imports a proxy, and waits for the checks of its exit. */
async function importProxy(
  format: FileFormat,
  ip: string,
  upstreamPort = upstream.port,
  state: ProxyState = 'FREE',
): Promise<string> {
  const query = { format, fileName: `stock.${format}` };
  const file = { type: 'text/plain', content: fileOf(format, ip, upstreamPort) };
  const { data: checked } = await admin.call(checkImport, { query }, { file });
  expect(checked).toMatchObject({ errors: [], newCount: 1 });
  await admin.call(applyImport, { params: { id: checked.id! } });
  await runJobs(product);
  const { id, exit } = await inInventory(ip);
  expect(exit).toMatchObject({ kind: 'socks5', address: `socks5://127.0.0.1:${upstreamPort}` });
  await untilState(ip, state);
  return id;
}

/** The body, downloaded in the three ways in which customers' programs use TCP. */
const DOWNLOADS = {
  socks5: async (connection: UsableConnection) => {
    const { client, reply } = await socks5Connect(product.gateway, connection, '127.0.0.1', origin.port);
    expect(reply).toBe(0);
    return request(client, '/');
  },
  'http-connect': async (connection: UsableConnection) => {
    const client = await openClient(product.gateway.port);
    client.socket.write(
      `CONNECT ${origin.authority} HTTP/1.1\r\nHost: ${origin.authority}\r\nProxy-Authorization: ${basic(connection)}\r\n\r\n`,
    );
    expect(await client.takeUntil('\r\n\r\n')).toContain(' 200 ');
    return request(client, '/');
  },
  'http-absolute': async (connection: UsableConnection) => {
    const client = await openClient(product.gateway.port);
    return request(client, `http://${origin.authority}/`, `Proxy-Authorization: ${basic(connection)}\r\n`);
  },
};

async function request(client: Reader, target: string, fields = ''): Promise<string> {
  client.socket.write(`GET ${target} HTTP/1.1\r\nHost: ${origin.authority}\r\n${fields}Connection: close\r\n\r\n`);
  expect(await client.takeUntil('\r\n\r\n')).toContain(' 200 ');
  const { bytes } = await client.rest();
  client.socket.destroy();
  return sha256(bytes);
}

/** Each row of each table as text, with binary columns decoded. */
async function storedRows(): Promise<string> {
  const tables = await product.database.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await product.database.query<{ row: string }>(
      `select to_jsonb(stored)::text as row from ${name} stored`,
    );
    for (const { row } of rows) {
      texts.push(row);
      for (const [, hex] of row.matchAll(/\\\\x([0-9a-f]+)/g)) texts.push(Buffer.from(hex!, 'hex').toString('latin1'));
    }
  }
  return texts.join('\n');
}

async function exports(customer: TestUser): Promise<string> {
  const files: string[] = [await customer.call(exportTransactions, { query: {} })];
  for (const format of ['csv', 'json'] as const) files.push(await admin.call(exportInventory, { query: { format } }));
  files.push(JSON.stringify(await admin.call(listInventory, { query: {} })));
  return files.join('\n');
}

test.each(['csv', 'json'] as const)(
  'a SOCKS5 proxy that staff import as %s carries and charges the traffic of its customer',
  async (format) => {
    const proxyId = await importProxy(format, format === 'csv' ? '192.0.2.1' : '192.0.2.2');
    const customer = await createUser(product, { balanceMicros: 2_000_000n });
    const connection = await buy(customer, proxyId);
    const [tunnelsBefore, countedBefore] = [upstream.seen.targets.length, origin.counted.bytes];

    for (const download of Object.values(DOWNLOADS)) expect(await download(connection)).toBe(sha256(BODY));

    // Besides the requests of checks.
    const targets = upstream.seen.targets.slice(tunnelsBefore).filter((target) => target === origin.authority);
    expect(targets).toEqual(Object.keys(DOWNLOADS).map(() => origin.authority));
    expect(new Set(upstream.seen.logins)).toEqual(new Set([`${CREDENTIALS.username}:${CREDENTIALS.password}`]));
    await customer.call(disconnect, { params: connection });
    await until(() => upstream.sockets.size === 0);
    await expect.poll(() => new Promise((done) => origin.server.getConnections((_, count) => done(count)))).toBe(0);

    const usedBytes = origin.counted.bytes - countedBefore;
    expect(usedBytes).toBeGreaterThan(3 * BODY.length);
    const cost = chargeFor(usedBytes);
    expect(cost).toBe(0.44);
    expect(await find(customer, connection.id)).toMatchObject({
      status: 'DISCONNECT_USER',
      refundStatus: 'NONE',
      trafficUsed: usedBytes / 1024,
      paidFor: cost,
    });
    const { paid, receiptTotal, uploadedBytes, downloadedBytes } = await readCharges(customer, connection.id);
    expect([paid, receiptTotal]).toEqual([cost, cost]);
    expect(uploadedBytes + downloadedBytes).toBe(usedBytes);
    expect(downloadedBytes).toBeGreaterThan(3 * BODY.length);

    const everything = [await storedRows(), await exports(customer), product.logged()];
    for (const text of everything) for (const secret of SECRETS) expect(text.includes(secret)).toBe(false);
    expect(everything[1]).toContain('socks5://***@127.0.0.1');
    expect(product.logged()).toContain(connection.id);
  },
);

test('a tunnel through a SOCKS5 proxy whose password was changed fails, and costs nothing', async () => {
  const settings = { credentials: CREDENTIALS };
  const strict = await startSocks5Upstream(settings);
  const customer = await createUser(product, { balanceMicros: 400_000n });
  const connection = await buy(customer, await importProxy('csv', '192.0.2.3', strict.port));
  settings.credentials = { username: 'someone', password: 'else' };
  const targetsBefore = strict.seen.targets.length;
  const { client, reply } = await socks5Connect(product.gateway, connection, '127.0.0.1', origin.port);
  expect(reply).toBe(1);
  client.socket.destroy();
  await customer.call(disconnect, { params: connection });
  expect(await find(customer, connection.id)).toMatchObject({ trafficUsed: 0, paidFor: 0, refundStatus: 'REFUNDED' });
  expect(await readCharges(customer, connection.id)).toMatchObject({ paid: 0, receiptTotal: 0 });
  expect(strict.seen.targets).toHaveLength(targetsBefore);
  strict.stop();
});

/** Checks of all exits are due now. */
const checkNow = () =>
  product.database.query('update exit_checks set next_check_at = now() where next_check_at > now()');
async function stateAfterChecks(ip: string) {
  await checkNow();
  return inInventory(ip);
}
const untilReason = (ip: string, reason: string) =>
  expect.poll(async () => (await inInventory(ip)).check?.reason).toBe(reason);

test(
  'a proxy whose exit is dead, or refuses all that it is asked, is never for sale',
  { tags: ['thorough'] },
  async () => {
    const customer = await createUser(product, { balanceMicros: 1_000_000n });
    const refusing = await startSocks5Upstream({
      credentials: CREDENTIALS,
      reply: Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]),
      afterReply: (socket) => void socket.end(),
    });
    const exits = { '192.0.2.11': await freePort(), '192.0.2.12': refusing.port };
    const reasons = { '192.0.2.11': 'upstream-unreachable', '192.0.2.12': 'upstream-refused:2' };
    for (const [ip, port] of Object.entries(exits)) {
      const id = await importProxy('csv', ip, port, 'UNCHECKED');
      for (let check = 0; check < 3; check += 1) {
        await checkNow();
        await untilReason(ip, reasons[ip as keyof typeof reasons]);
        expect([(await inInventory(ip)).state, await isOffered(ip)]).toEqual(['UNCHECKED', false]);
      }
      const purchase = customer.call(connect, { body: { id, price: PRICE } });
      await expect(purchase).rejects.toMatchObject({ code: 'PROXY_NOT_FOUND' });
    }
    refusing.stop();
  },
);

test(
  'a proxy whose exit dies is lost after three minutes, is not for sale then, and is again when it works',
  { tags: ['thorough'] },
  async () => {
    const ip = '192.0.2.13';
    const mortal = await startSocks5Upstream({ credentials: CREDENTIALS });
    const customer = await createUser(product, { balanceMicros: 1_000_000n });
    const connection = await buy(customer, await importProxy('csv', ip, mortal.port));
    const { client, reply } = await socks5Connect(product.gateway, connection, '127.0.0.1', origin.port);
    expect(reply).toBe(0);
    mortal.stop();
    await expect.poll(() => stateAfterChecks(ip)).toMatchObject({ isHealthy: false });
    expect((await find(customer, connection.id)).status).toBe('WORK');
    await product.database.query(
      "update exit_checks set failing_since = now() - interval '181 seconds', failures = failures + 9 where health = 'UNHEALTHY'",
    );
    await client.rest();
    await expect
      .poll(() => find(customer, connection.id))
      .toMatchObject({ status: 'NOT_WORK', endReason: 'EXIT_LOST', refundStatus: 'REFUNDED', paidFor: 0 });
    expect([(await inInventory(ip)).state, await isOffered(ip)]).toEqual(['UNHEALTHY', false]);

    const again = await startSocks5Upstream({ credentials: CREDENTIALS }, mortal.port);
    await expect.poll(() => stateAfterChecks(ip)).toMatchObject({ state: 'FREE' });
    expect(await isOffered(ip)).toBe(true);
    again.stop();
  },
);

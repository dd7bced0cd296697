/**
 * Change of the address from the order to the next tunnel: a real gateway, a farm and its exits on loopback.
 * @module-tag thorough
 */
import { renewRotationLink, rotateConnection } from '@cellhop/contract/rotation';
import { changeExitRotation } from '@cellhop/contract/staff/exit-rotation';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { socks5Connect } from '../../../gateway/test/gateway-harness.ts';
import { listenLocally } from '../../../gateway/test/sockets.ts';
import { parseAuthority } from '../../../gateway/src/protocol/host.ts';
import { startSocks5Upstream } from '../../../gateway/test/upstream.ts';
import { createProxy, createUser } from '../factories.ts';
import { buy, find, PRICE, type Product, startProduct, stopProduct } from './product.ts';

const TOKEN = 'token-of-the-farm';

let product: Product;
let farm: Awaited<ReturnType<typeof startFarm>>;
beforeAll(async () => {
  product = await startProduct({ rotationCooldownMs: 1 });
  farm = await startFarm();
});
afterAll(async () => {
  expect(await stopProduct(product)).toEqual([]);
  farm.stop();
});

/** It answers at once, and changes the address of its exit when two more requests have left by it. */
async function startFarm() {
  let last = 31;
  let untilChange = 0;
  const calls: string[] = [];
  const upstream = await startSocks5Upstream({
    route: (authority) => {
      const { port } = parseAuthority(authority)!;
      if (untilChange > 0 && (untilChange -= 1) === 0) last += 1;
      return { host: '127.0.0.1', port, localAddress: `127.0.0.${last}` };
    },
  });
  const server = createServer((request, response) => {
    calls.push(request.url ?? '');
    untilChange = 2;
    response.end('command sent');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rotate?key=${TOKEN}`;
  const stop = () => {
    server.close();
    upstream.stop();
  };
  return { upstream, url, calls, stop };
}

test('a customer changes the address by the button and by the link, keeps the connection, and pays nothing for it', async () => {
  const [exit] = await product.database.query<{ id: string }>(
    `insert into exits (node_id, kind, key, parameters)
     select node_id, 'socks5', 'socks5://127.0.0.1:' || $2::int, jsonb_build_object('host', '127.0.0.1', 'port', $2::int)
       from exits where id = $1 returning id`,
    [product.exitId, farm.upstream.port],
  );
  const proxyId = await createProxy(product, { exitId: exit!.id, priceMicros: BigInt(PRICE * 1e6) });
  const admin = await createUser(product, { roleName: 'ADMIN' });
  const link = { method: 'GET', url: farm.url } as const;
  const body = { link, cooldownSeconds: null, changesPerHour: null };
  await admin.call(changeExitRotation, { params: { id: exit!.id }, body });
  const isForSale = async () =>
    (await product.database.query('select 1 from proxies where id = $1 and is_healthy', [proxyId])).length === 1;
  await expect.poll(isForSale).toBe(true);
  const customer = await createUser(product, { balanceMicros: 1_000_000n });
  const connection = await buy(customer, proxyId);
  const seen: string[] = [];
  const { server, port } = await listenLocally((socket) => void seen.push(socket.on('error', () => {}).remoteAddress!));

  const { client, reply } = await socks5Connect(product.gateway, connection, '127.0.0.1', port);
  expect(reply).toBe(0);
  const reset = once(client.socket, 'error').then(([error]: NodeJS.ErrnoException[]) => error!.code);
  client.socket.resume();
  const { data: ordered } = await customer.call(rotateConnection, { params: connection });
  expect(ordered.state).toBe('ROTATING');
  expect(await reset).toBe('ECONNRESET');
  await expect.poll(async () => (await find(customer, connection.id)).currentIp).toBe('127.0.0.32');
  const again = await socks5Connect(product.gateway, connection, '127.0.0.1', port);
  expect(again.reply).toBe(0);
  await expect.poll(() => seen).toEqual(['127.0.0.31', '127.0.0.32']);
  again.client.socket.destroy();

  const { data: secret } = await customer.call(renewRotationLink, { params: connection });
  const answer = await fetch(secret.link);
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { data: { state: expect.any(String), oldIp: '127.0.0.32', newIp: '127.0.0.33', seconds: expect.any(Number) } },
  ]);
  expect(farm.calls).toHaveLength(2);
  expect(await find(customer, connection.id)).toMatchObject({
    ip: connection.ip,
    currentIp: '127.0.0.33',
    status: 'WORK',
    trafficUsed: 0,
    paidFor: connection.paidFor,
  });
  for (const hidden of [TOKEN, new URL(secret.link).pathname.split('/').at(-1)!])
    expect(product.logged()).not.toContain(hidden);
  server.close();
});

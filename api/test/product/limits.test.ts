/**
 * What an operator limits reaches the real gateway, and its refusals reach the owner of the connection.
 * @module-tag thorough
 */
import { disconnect } from '@cellhop/contract/connections';
import { changeProxyLimits } from '@cellhop/contract/staff/inventory';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { socks4Request, openClient, socks5Connect } from '../../../gateway/test/gateway-harness.ts';
import { listenLocally } from '../../../gateway/test/sockets.ts';
import { createUser } from '../factories.ts';
import { createBuyer, find, type Product, startProduct, stopProduct, type UsableConnection } from './product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct({}, { limits: { connectionLimitsMs: 100, updateIntervalMs: 50 } });
});
afterAll(async () => {
  expect(await stopProduct(product)).toEqual([]);
});

/** @returns the reply to a tunnel that is closed at once */
async function replyTo(connection: UsableConnection, port: number) {
  const { client, reply } = await socks5Connect(product.gateway, connection, '127.0.0.1', port);
  client.socket.destroy();
  return reply;
}

test('a port that staff close while a connection is open is refused, and its owner sees why, until the next refusal', async () => {
  const { customer, connection } = await createBuyer(product, 1_000_000n);
  const { server, port } = await listenLocally((socket) => socket.end());
  onTestFinished(() => void server.close());
  const refusal = async () => (await find(customer, connection.id)).lastRefusal?.reason;
  expect(await replyTo(connection, port)).toBe(0);
  expect(await refusal()).toBeUndefined();

  const admin = await createUser(product, { roleName: 'ADMIN' });
  const [proxy] = await product.database.query<{ id: string }>('select id from proxies where connection_id = $1', [
    connection.id,
  ]);
  const body = { ports: `deny ${port}`, tunnels: null, bytesPerSecond: null };
  await admin.call(changeProxyLimits, { params: { id: proxy!.id }, body });
  expect((await find(customer, connection.id)).limits?.ports).toBe(`deny ${port}`);
  await expect.poll(() => replyTo(connection, port)).toBe(2);
  await expect.poll(refusal).toBe('port-prohibited');

  await customer.call(disconnect, { params: connection });
  await expect.poll(() => replyTo(connection, port)).toBe(2);
  await expect.poll(refusal).toBe('ended-by-user');
});

test('a wrong password is told to the owner, and nothing to the program that guesses', async () => {
  const { customer, connection } = await createBuyer(product, 1_000_000n);
  for (const username of [connection.username, 'nobody']) {
    const client = await openClient(product.gateway.port);
    client.socket.write(socks4Request('127.0.0.1', 9, `${username}:wrong`));
    expect([...(await client.rest()).bytes].slice(0, 2)).toEqual([0, 0x5d]);
  }
  const reason = async () => (await find(customer, connection.id)).lastRefusal?.reason;
  await expect.poll(reason).toBe('invalid-credentials');
});

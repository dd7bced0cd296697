/** What staff refuse reaches the real gateway at once, and its refusals reach the owner of the connection. */
import {
  importDestinationList,
  refuseDestination,
  removeDestinationList,
} from '@cellhop/contract/staff/refused-destinations';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readMetric, socks5Connect } from '../../../gateway/test/gateway-harness.ts';
import { listenLocally } from '../../../gateway/test/sockets.ts';
import { createUser } from '../factories.ts';
import { createBuyer, find, type Product, startProduct, stopProduct } from './product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct({}, { limits: { updateIntervalMs: 50 } });
});
afterAll(async () => {
  expect(await stopProduct(product)).toEqual([]);
});

test('an open tunnel to a destination that staff refuse ends, new ones are refused, and its owner sees why', async () => {
  const { customer, connection } = await createBuyer(product, 1_000_000n);
  const { server, port } = await listenLocally((socket) => socket.pipe(socket));
  onTestFinished(() => void server.close());
  const admin = await createUser(product, { roleName: 'ADMIN' });
  const { client, reply } = await socks5Connect(product.gateway, connection, '127.0.0.1', port);
  expect(reply).toBe(0);
  const body = { destination: '127.0.0.1', reason: 'complaint 4711' };
  await admin.call(refuseDestination, { body });
  expect((await client.rest()).end).toBe('reset');
  expect((await socks5Connect(product.gateway, connection, '127.0.0.1', port)).reply).toBe(2);
  await expect.poll(async () => (await find(customer, connection.id)).lastRefusal?.reason).toBe('destination-refused');
});

test('a list that is imported and removed reaches the gateway both times', async () => {
  const admin = await createUser(product, { roleName: 'ADMIN' });
  const entries = () => readMetric(product.gateway, 'gateway_refused_destinations');
  const before = await entries();
  const query = { list: 'malware' };
  await admin.call(
    importDestinationList,
    { query },
    { file: { type: 'text/plain', content: 'one.example\n.two.example' } },
  );
  await expect.poll(entries).toBe(before + 2);
  await admin.call(removeDestinationList, { query });
  await expect.poll(entries).toBe(before);
});

/** Changes by customers while their programs use the proxy: the real gateway applies them at once, and the bill is right. */
import { changeConnection, changePassword, disconnect } from '@cellhop/contract/connections';
import type { ClientInput } from '@cellhop/contract/endpoint';
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openClient, socks5Connect, socks5Request } from '../../../gateway/test/gateway-harness.ts';
import { listenLocally, type Reader } from '../../../gateway/test/sockets.ts';
import { associate } from '../../../gateway/test/udp.ts';
import type { TestUser } from '../factories.ts';
import {
  chargeWithRefundFor,
  createBuyer,
  find,
  MB,
  type Product,
  readCharges,
  startProduct,
  stopProduct,
  type UsableConnection,
} from './product.ts';
import { scaled } from '../../../tools/test-scale.ts';

const CHANGES = scaled(7, 100);

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(async () => {
  expect(await stopProduct(product)).toEqual([]);
});

/** The choice of the method, the result of the login, and the reply (RFC 1928, RFC 1929). */
const REPLIES_BYTES = 2 + 2 + 10;

type Change = ClientInput<typeof changeConnection>['body'];
const change = async ({ call }: TestUser, id: string, body: Change) =>
  (await call(changeConnection, { params: { id }, body })).data;

async function openOrigin(serve: Parameters<typeof listenLocally>[0]): Promise<number> {
  const { server, port } = await listenLocally(serve);
  onTestFinished(() => void server.close());
  return port;
}
const openEcho = () => openOrigin((socket) => socket.pipe(socket));
/** Sends until the client is gone. */
const openEndlessOrigin = () =>
  openOrigin((socket) => {
    const piece = Buffer.alloc(65_536);
    Readable.from(endlessly(piece))
      .on('error', () => socket.destroy())
      .pipe(socket);
  });
function* endlessly(piece: Buffer) {
  for (;;) yield piece;
}

/** A tunnel with the password. */
async function openTunnel(connection: UsableConnection, port: number): Promise<Reader> {
  const { client, reply } = await socks5Connect(product.gateway, connection, '127.0.0.1', port);
  expect(reply).toBe(0);
  onTestFinished(() => void client.socket.destroy());
  return client;
}

/** A client that offers no password. @returns undefined if it is refused */
async function openWithoutPassword(port: number): Promise<Reader | undefined> {
  const client = await openClient(product.gateway.port);
  onTestFinished(() => void client.socket.destroy());
  client.socket.write(Buffer.concat([Buffer.from([5, 1, 0]), socks5Request('127.0.0.1', port)]));
  const [, method] = await client.take(2);
  if (method !== 0) return undefined;
  expect((await client.take(10))[1]).toBe(0);
  return client;
}

async function isEchoed(client: Reader): Promise<boolean> {
  client.socket.write('echo');
  return (await client.take(4)).toString() === 'echo';
}

/** Downloads in one tunnel after another, until the gateway refuses the connection. @returns the received bytes */
async function downloadUntilRefused(connection: UsableConnection, port: number): Promise<number> {
  let receivedBytes = 0;
  for (;;) {
    const opened = await socks5Connect(product.gateway, connection, '127.0.0.1', port).catch(() => undefined);
    if (opened?.reply !== 0) return receivedBytes;
    const { client } = opened;
    await client.rest();
    receivedBytes += client.receivedBytes - REPLIES_BYTES;
  }
}

test('an allow-list that is emptied closes the tunnels without a password, and no others', async () => {
  const { customer, connection } = await createBuyer(product, 1_000_000n);
  const port = await openEcho();
  const withPassword = await openTunnel(connection, port);
  expect(await openWithoutPassword(port)).toBeUndefined();
  await change(customer, connection.id, { allowList: ['127.0.0.1'] });
  // With long pauses, because refusals are limited.
  await expect.poll(async () => (await openWithoutPassword(port)) !== undefined, { interval: 500 }).toBe(true);
  const listed = await openWithoutPassword(port);
  assert(listed);
  expect([await isEchoed(listed), await isEchoed(withPassword)]).toEqual([true, true]);

  await change(customer, connection.id, { allowList: [] });
  expect((await listed.rest()).end).toBe('reset');
  expect(await isEchoed(withPassword)).toBe(true);
  expect(await openWithoutPassword(port)).toBeUndefined();
  await customer.call(disconnect, { params: connection });
  expect(await find(customer, connection.id)).toMatchObject({ trafficUsed: (3 * 8) / 1024, paidFor: 0.008 });
});

test('a new password ends the tunnels and associations of the old one, and a repeated request ends nothing', async () => {
  const { customer, connection } = await createBuyer(product, 1_000_000n);
  const port = await openEcho();
  const tunnel = await openTunnel(connection, port);
  const association = await associate(product.gateway, connection);
  onTestFinished(() => association.close());
  const headers = { 'idempotency-key': 'new password' };
  const renew = async () => (await customer.call(changePassword, { params: connection }, { headers })).data.password!;
  const password = await renew();
  expect((await tunnel.rest()).end).toBe('reset');
  await association.control.rest();
  await expect(socks5Connect(product.gateway, connection, '127.0.0.1', port)).rejects.toThrow('The socket');

  const again = await openTunnel({ ...connection, password }, port);
  expect(await isEchoed(again)).toBe(true);
  expect(await renew()).toBe(password);
  expect(await isEchoed(again)).toBe(true);
  await customer.call(disconnect, { params: connection });
});

test(
  'a cap below the used traffic is refused and changes nothing; the next megabyte is the last',
  { tags: ['thorough'] },
  async () => {
    const { customer, connection } = await createBuyer(product, 1_000_000n);
    const sent = Buffer.alloc(2 * MB + 1);
    const port = await openOrigin((socket) => socket.end(sent));
    const { bytes } = await (await openTunnel(connection, port)).rest();
    expect(bytes).toHaveLength(sent.length);
    await expect.poll(async () => (await find(customer, connection.id)).trafficUsed).toBe(sent.length / 1024);
    for (const capMegabytes of [1, 2])
      await expect(change(customer, connection.id, { capMegabytes })).rejects.toMatchObject({ code: 'CAP_USED_UP' });
    expect(await find(customer, connection.id)).toMatchObject({ status: 'WORK', capMegabytes: null });

    const recalled = await openTunnel(connection, await openEcho());
    await change(customer, connection.id, { capMegabytes: 3 });
    // Traffic that passes before the node has learned the cap is charged, too.
    expect((await recalled.rest()).end).toBe('reset');
    const received = await downloadUntilRefused(connection, await openEndlessOrigin());
    expect(received).toBe(MB - 1);
    await expect
      .poll(() => find(customer, connection.id))
      .toMatchObject({ status: 'NOT_WORK', endReason: 'CAP', trafficUsed: 3 * 1024, paidFor: 0.024 });
  },
);

test(
  `${CHANGES} changes of the cap while programs download end with the last one, to the byte`,
  { tags: ['thorough'] },
  async () => {
    const { customer, connection } = await createBuyer(product, 1_000_000n);
    const port = await openEcho();
    const tunnel = await openTunnel(connection, port);
    expect(await isEchoed(tunnel)).toBe(true);
    // Each second one is lower, which recalls the grant and closes the tunnels.
    for (let number = 0; number < CHANGES; number += 1)
      await change(customer, connection.id, { capMegabytes: number % 2 === 0 ? 30 : 20 });
    await tunnel.rest();
    await change(customer, connection.id, { capMegabytes: 4 });
    const endless = await openEndlessOrigin();
    await Promise.all([1, 2, 3].map(() => downloadUntilRefused(connection, endless)));
    await expect
      .poll(() => find(customer, connection.id))
      .toMatchObject({
        status: 'NOT_WORK',
        endReason: 'CAP',
        trafficUsed: 4 * 1024,
        paidFor: chargeWithRefundFor(4 * MB),
      });
    expect(await readCharges(customer, connection.id)).toMatchObject({ paid: 0.032, receiptTotal: 0.032 });
  },
);

test('open tunnels pass no more data once the response to a lowered cap arrives', async () => {
  const { customer, connection } = await createBuyer(product, 1_000_000n);
  const port = await openOrigin((socket) => {
    const sending = setInterval(() => socket.write(Buffer.alloc(16_384)), 5);
    socket.once('close', () => clearInterval(sending));
  });
  const tunnels = await Promise.all([1, 2, 3].map(() => openTunnel(connection, port)));
  await expect.poll(async () => (await find(customer, connection.id)).trafficUsed).toBeGreaterThan(1024);
  const { trafficUsed } = await change(customer, connection.id, { capMegabytes: 40 });
  expect(trafficUsed).toBeLessThan(40 * 1024);
  const received = await Promise.all(tunnels.map((tunnel) => tunnel.rest()));
  expect(received.map(({ end }) => end)).toEqual(['reset', 'reset', 'reset']);
  expect(await find(customer, connection.id)).toMatchObject({ status: 'WORK', trafficUsed });
  await customer.call(disconnect, { params: connection });
});

test(
  'a cap that is lowered during downloads charges exactly the traffic that has passed',
  { tags: ['thorough'] },
  async () => {
    const { customer, connection } = await createBuyer(product, 500_000n);
    const port = await openEndlessOrigin();
    const downloads = [1, 2, 3].map(() => downloadUntilRefused(connection, port));
    const used = async () => (await find(customer, connection.id)).trafficUsed;
    await expect.poll(used).toBeGreaterThan(1024);
    const outcome = await change(customer, connection.id, { capMegabytes: 20 }).then(
      () => 'CHANGED',
      ({ code }: { code: string }) => code,
    );
    // Refused if more has already passed than the cap, or all that the money pays for.
    expect(['CHANGED', 'CAP_USED_UP', 'NOT_CONNECTED']).toContain(outcome);
    const received = (await Promise.all(downloads)).reduce((sum, bytes) => sum + bytes, 0);
    await expect.poll(async () => (await find(customer, connection.id)).status).not.toBe('WORK');
    const ended = await find(customer, connection.id);
    expect(['CAP', 'NO_MONEY']).toContain(ended.endReason);
    const usedBytes = ended.trafficUsed * 1024;
    expect(usedBytes).toBeGreaterThanOrEqual(Math.max(20 * MB, received));
    expect(ended.paidFor).toBe(chargeWithRefundFor(usedBytes));
  },
);

/**
 * An upgrade of a node: its new process serves customers while the old one lets their transfers finish.
 * @module-tag thorough
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { socks5Connect } from '../../../gateway/test/gateway-harness.ts';
import { listenLocally, patternedBytes } from '../../../gateway/test/sockets.ts';
import { endIdleConnections } from '../../src/modules/billing/end-idle-connections.service.ts';
import { chargeFor, createBuyer, find, MB, type Product, readCharges, startProduct, stopProduct } from './product.ts';

/** Beyond the prepaid 50 MB, so that both processes need grants that are paid from the balance. */
const DOWNLOAD_BYTES = 60 * MB + 12_345;
const BEFORE_DRAIN_BYTES = 52 * MB;

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(async () => {
  expect(await stopProduct(product)).toEqual([]);
});

test('a download completes in a draining process while the next process serves its customer; the charge is exact', async () => {
  const { customer, connection } = await createBuyer(product, 1_000_000n);
  const body = patternedBytes(DOWNLOAD_BYTES);
  const sockets: Socket[] = [];
  const { server, port } = await listenLocally((socket) => {
    sockets.push(socket);
    socket.write(body.subarray(0, BEFORE_DRAIN_BYTES));
  });
  const echo = await listenLocally((socket) => socket.pipe(socket));
  onTestFinished(() => {
    server.close();
    echo.server.close();
  });

  const { client: download } = await socks5Connect(product.gateway, connection, '127.0.0.1', port);
  const first = await download.take(BEFORE_DRAIN_BYTES);
  const drained = product.gateway.close({ drainMs: 60_000 });

  const next = await product.startNextProcess();
  const { client: other, reply } = await socks5Connect(next, connection, '127.0.0.1', echo.port);
  expect(reply).toBe(0);
  const echoed = patternedBytes(100_000);
  other.socket.write(echoed);
  expect((await other.take(echoed.length)).equals(echoed)).toBe(true);
  // Reports of both processes and the worker's tasks end neither.
  for (let rounds = 0; rounds < 10; rounds += 1) {
    await endIdleConnections(product.ctx);
    await pause(100);
  }

  sockets[0]!.end(body.subarray(BEFORE_DRAIN_BYTES));
  const { bytes: rest, end } = await download.rest();
  // The logs say why, if it was reset.
  expect({ end, log: end === 'ended' ? '' : product.logged().slice(-20_000) }).toEqual({ end: 'ended', log: '' });
  expect(Buffer.concat([first, rest]).equals(body)).toBe(true);
  download.socket.end();
  expect(await drained).toBe(true);
  other.socket.end();
  await once(other.socket, 'close');
  expect(await next.close()).toBe(true);

  const usedBytes = DOWNLOAD_BYTES + 2 * echoed.length;
  expect(await find(customer, connection.id)).toMatchObject({
    status: 'WORK',
    paidFor: chargeFor(usedBytes),
    trafficUsed: usedBytes / 1024,
  });
  expect(await readCharges(customer, connection.id)).toMatchObject({
    paid: chargeFor(usedBytes),
    uploadedBytes: echoed.length,
    downloadedBytes: DOWNLOAD_BYTES + echoed.length,
  });
});

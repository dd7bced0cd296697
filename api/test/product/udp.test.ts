/** The charges for UDP through the gateway: datagrams of a client, counted by the gateway, charged by the API. */
import { disconnect } from '@cellhop/contract/connections';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { associate, openEcho, type TestAssociation, type UdpPeer } from '../../../gateway/test/udp.ts';
import { balanceOf } from '../factories.ts';
import {
  chargeFor,
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

/** RSV, FRAG, ATYP, an IPv4 address and a port: what a datagram of a client has before its payload (RFC 1928, section 7). */
const HEADER_BYTES = 10;
/** A divisor of a megabyte, so that the last byte that is paid for is the last one of a datagram. */
const PAYLOAD_BYTES = 32_768;
/** The gateway drops datagrams while a grant is late; clients of UDP send them again. */
const RESEND_MS = 250;

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(async () => {
  expect(await stopProduct(product)).toEqual([]);
});

/** An association, and a destination that returns each datagram. */
async function open(connection: UsableConnection, { gateway } = product) {
  const echo = await openEcho();
  onTestFinished(() => void echo.socket.close());
  const passed = { toEcho: 0, toClient: 0 };
  echo.socket.on('message', ({ length }) => (passed.toEcho += length));
  const association = await associate(gateway, connection);
  onTestFinished(() => association.close());
  expect(association.reply).toBe(0);
  association.udp.socket.on('message', ({ length }) => (passed.toClient += length - HEADER_BYTES));
  let isClosed = false;
  const closed = association.control.rest().finally(() => (isClosed = true));
  return { echo, association, passed, closed, isOpen: () => !isClosed };
}

/** Sends a datagram until it has returned, or the association has ended. */
async function exchange(association: TestAssociation, echo: UdpPeer, payload: Uint8Array, isOpen: () => boolean) {
  const before = association.udp.received;
  let sentAt = Number.NEGATIVE_INFINITY;
  while (isOpen() && association.udp.received === before) {
    if (performance.now() - sentAt > RESEND_MS) {
      association.send('127.0.0.1', echo.port, payload);
      sentAt = performance.now();
    }
    await new Promise((fulfil) => setImmediate(fulfil));
  }
}

test('datagrams are charged by their payloads, in both directions and without headers', async () => {
  const { customer, connection } = await createBuyer(product, 1_000_000n);
  const { association, echo, passed, isOpen } = await open(connection);
  const sizes = [1, 2, 700, 1_200, 1_472, 9_000, 65_000];
  for (let round = 0; round < 20; round += 1)
    for (const size of sizes) await exchange(association, echo, Buffer.alloc(size, round), isOpen);
  await customer.call(disconnect, { params: connection });

  const sent = 20 * sizes.reduce((sum, size) => sum + size, 0);
  expect(passed.toClient).toBeGreaterThanOrEqual(sent);
  const usedBytes = passed.toEcho + passed.toClient;
  const cost = chargeWithRefundFor(usedBytes);
  expect(await find(customer, connection.id)).toMatchObject({
    status: 'DISCONNECT_USER',
    refundStatus: 'REFUNDED',
    trafficUsed: usedBytes / 1024,
    paidFor: cost,
  });
  expect(await readCharges(customer, connection.id)).toEqual({
    paid: cost,
    receiptTotal: cost,
    uploadedBytes: passed.toEcho,
    downloadedBytes: passed.toClient,
  });
  expect(await balanceOf(product, customer)).toBe(1_000_000n - BigInt(Math.round(cost * 1e6)));
});

test(
  'an association passes exactly the bytes that the money pays for, and ends as NO_MONEY',
  { tags: ['thorough'] },
  async () => {
    const { customer, connection } = await createBuyer(product, 416_500n);
    const { association, echo, passed, closed, isOpen } = await open(connection);
    const payload = Buffer.alloc(PAYLOAD_BYTES, 'x');
    while (isOpen()) await exchange(association, echo, payload, isOpen);
    await closed;
    association.send('127.0.0.1', echo.port, payload);

    const paidBytes = 52 * MB;
    await expect
      .poll(() => find(customer, connection.id))
      .toMatchObject({
        status: 'NO_MONEY',
        refundStatus: 'NONE',
        endReason: 'NO_MONEY',
        trafficUsed: paidBytes / 1024,
        paidFor: chargeFor(paidBytes),
      });
    await expect.poll(() => passed.toEcho + passed.toClient).toBe(paidBytes);
    expect(await readCharges(customer, connection.id)).toMatchObject({ paid: 0.416, receiptTotal: 0.416 });
    expect(await balanceOf(product, customer)).toBe(500n);
    // RFC 1928: not allowed by the ruleset.
    const refused = await associate(product.gateway, connection);
    expect(refused.reply).toBe(2);
    refused.close();
  },
);

test('a disconnect closes associations at once, and nothing passes afterwards', { tags: ['thorough'] }, async () => {
  // A report would tell the gateway as well: the next one comes too late to do so.
  const prompt = await startProduct({}, { limits: { updateIntervalMs: 600_000, idleUpdateIntervalMs: 600_000 } });
  const { customer, connection } = await createBuyer(prompt, 400_000n);
  const { association, echo, passed, closed, isOpen } = await open(connection, prompt);
  await exchange(association, echo, Buffer.from('before'), isOpen);
  const ended = customer.call(disconnect, { params: connection });
  await closed;
  association.send('127.0.0.1', echo.port, 'after');
  await ended;
  expect(passed).toEqual({ toEcho: 6, toClient: 6 });
  expect(await find(customer, connection.id)).toMatchObject({ trafficUsed: 12 / 1024, paidFor: 0.008 });
  expect(await stopProduct(prompt)).toEqual([]);
});

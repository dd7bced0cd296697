/** The charges for DNS port traffic, and the end of the port. */
import { disconnect } from '@cellhop/contract/connections';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DnsClient, freeDnsPort } from '../../../gateway/test/dns-client.ts';
import { openTcp, takeMessage } from '../../../gateway/test/dns-harness.ts';
import { address, answerTo, framed, question, read } from '../../../gateway/test/dns-messages.ts';
import { startResolver, type TestResolver } from '../../../gateway/test/dns-resolver.ts';
import { socks5Connect, untilGauge } from '../../../gateway/test/gateway-harness.ts';
import { freePort } from '../../../tools/ports.mjs';
import { listenLocally } from '../../../gateway/test/sockets.ts';
import { balanceOf } from '../factories.ts';
import { GATEWAY_TOKEN } from '../test-app.ts';
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

let product: Product;
let resolver: TestResolver;
let dnsPort: number;
beforeAll(async () => {
  resolver = await startResolver(({ message, respond }) => respond(answerTo(message, [address('192.0.2.7')])));
  dnsPort = await freeDnsPort();
  const gateway = { host: '127.0.0.1', port: 1080, dnsPorts: { first: dnsPort, last: dnsPort }, token: GATEWAY_TOKEN };
  product = await startProduct({ gateway }, { nameServers: [resolver.address] });
});
afterAll(async () => {
  expect(await stopProduct(product)).toEqual([]);
  resolver.stop();
});

/** A customer with a connection whose DNS port this machine may use, because it has used the password. */
async function buyAndLogIn(balanceMicros: bigint) {
  const bought = await createBuyer(product, balanceMicros);
  expect(bought.connection.dnsPort).toBe(dnsPort);
  const { client, reply } = await socks5Connect(product.gateway, bought.connection, '127.0.0.1', await freePort());
  expect(reply).toBe(5);
  client.socket.destroy();
  await untilGauge(product.gateway, 'gateway_dns_ports', 1);
  return bought;
}

async function openUdpClient(): Promise<DnsClient> {
  const client = await DnsClient.open(dnsPort);
  onTestFinished(() => client.close());
  return client;
}

/** Uses these bytes of a connection by an upload through a tunnel, and waits until they are charged. */
async function useUp(connection: UsableConnection, bytes: number, usedKibibytes: () => Promise<number>): Promise<void> {
  let receivedBytes = 0;
  const { server, port } = await listenLocally((socket) => {
    socket.on('data', ({ length }) => (receivedBytes += length)).on('end', () => socket.end());
  });
  const { client, reply } = await socks5Connect(product.gateway, connection, '127.0.0.1', port);
  expect(reply).toBe(0);
  client.socket.end(Buffer.alloc(bytes));
  await client.rest();
  expect(receivedBytes).toBe(bytes);
  server.close();
  await expect.poll(usedKibibytes).toBe(bytes / 1024);
}

test('questions and answers are charged by the bytes of their messages, over UDP and TCP', async () => {
  const { customer, connection } = await buyAndLogIn(1_000_000n);
  const udp = await openUdpClient();
  const tcp = openTcp(dnsPort);
  const counted = { up: 0, down: 0 };
  const count = (asked: Buffer, answer: Buffer) => {
    expect(read(answer)).toMatchObject({ code: 0, address: '192.0.2.7' });
    counted.up += asked.length;
    counted.down += answer.length;
  };
  for (let number = 0; number < 20; number += 1) {
    const asked = question(`name-${number}.example.test`, { id: number });
    count(asked, await udp.ask(asked));
    tcp.socket.write(framed(asked));
    count(asked, await takeMessage(tcp));
  }
  await customer.call(disconnect, { params: connection });

  const usedBytes = counted.up + counted.down;
  const cost = chargeWithRefundFor(usedBytes);
  expect(cost).toBe(0.008);
  expect(await find(customer, connection.id)).toMatchObject({
    status: 'DISCONNECT_USER',
    refundStatus: 'REFUNDED',
    trafficUsed: usedBytes / 1024,
    paidFor: cost,
  });
  expect(await readCharges(customer, connection.id)).toEqual({
    paid: cost,
    receiptTotal: cost,
    uploadedBytes: counted.up,
    downloadedBytes: counted.down,
  });
  expect(await balanceOf(product, customer)).toBe(992_000n);
});

test(
  'the last bytes that the money pays for may be questions, and then the port closes',
  { tags: ['thorough'] },
  async () => {
    const { customer, connection } = await buyAndLogIn(400_500n);
    const asked = question('last.example.test');
    const answerBytes = answerTo(asked, [address('192.0.2.7')]).length;
    const left = 3 * (asked.length + answerBytes);
    const usedKibibytes = async () => (await find(customer, connection.id)).trafficUsed;
    await useUp(connection, 50 * MB - left, usedKibibytes);

    const client = await openUdpClient();
    for (let number = 0; number < 3; number += 1) expect((await client.ask(asked)).length).toBe(answerBytes);
    await untilGauge(product.gateway, 'gateway_dns_ports', 0);
    await expect
      .poll(() => find(customer, connection.id))
      .toMatchObject({ status: 'NO_MONEY', trafficUsed: (50 * MB) / 1024, paidFor: chargeFor(50 * MB) });
    expect(await readCharges(customer, connection.id)).toMatchObject({ paid: 0.4, receiptTotal: 0.4 });
    expect(await balanceOf(product, customer)).toBe(500n);
    expect((await openTcp(dnsPort).rest()).bytes).toHaveLength(0);
  },
);

test('a disconnect closes the port at once, and no more questions pass', async () => {
  const { customer, connection } = await buyAndLogIn(400_000n);
  const udp = await openUdpClient();
  const asked = question('before.example.test');
  const answer = await udp.ask(asked);
  const tcp = openTcp(dnsPort);
  tcp.socket.write(framed(asked));
  await takeMessage(tcp);
  const ended = customer.call(disconnect, { params: connection });
  expect((await tcp.rest()).end).toBe('reset');
  const askedBefore = resolver.asked.length;
  udp.send(question('after.example.test'));
  await ended;
  expect((await openTcp(dnsPort).rest()).bytes).toHaveLength(0);
  expect(resolver.asked).toHaveLength(askedBefore);
  expect(await find(customer, connection.id)).toMatchObject({
    trafficUsed: (2 * (asked.length + answer.length)) / 1024,
    paidFor: 0.008,
  });
});

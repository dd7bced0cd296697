/**
 * All DNS ports of a node are sold, served by one process, and released.
 * @module-tag long
 */
import { connect, type Connection, disconnect } from '@cellhop/contract/connections';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { randomInt, randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { address, answerTo, question, read } from '../../../gateway/test/dns-messages.ts';
import { startResolver } from '../../../gateway/test/dns-resolver.ts';
import { untilGauge } from '../../../gateway/test/gateway-harness.ts';
import { createProxy, createUser } from '../factories.ts';
import { GATEWAY_TOKEN } from '../test-app.ts';
import { PRICE, startProduct, stopProduct } from './product.ts';

const PORTS = 1_000;
const FIRST_PORT = 20_000;
const AT_A_TIME = 20;
/** How many connections are bought over HTTP. The others are bought in the database, which takes less time. */
const BOUGHT_OVER_HTTP = 60;
/** How many of the connections end. */
const ENDED = 40;
const RESEND_MS = 2_000;
const TEST_MS = 1_200_000;

/** Its own loopback address, so that no other process uses the ports. */
const HOST = `127.${randomInt(1, 255)}.${randomInt(255)}.${randomInt(1, 255)}`;

async function startNode() {
  const resolver = await startResolver(({ message, respond }) => respond(answerTo(message, [address('192.0.2.7')])));
  onTestFinished(() => resolver.stop());
  const dnsPorts = { first: FIRST_PORT, last: FIRST_PORT + PORTS - 1 };
  const product = await startProduct(
    {
      gateway: { host: HOST, port: 1080, dnsPorts, token: GATEWAY_TOKEN },
      openConnectionsMax: 2 * PORTS,
      purchasesPerHour: 2 * PORTS,
      unusedReturnsPerHour: 2 * PORTS,
    },
    { host: HOST, nameServers: [resolver.address], limits: { dnsPortsRefreshMs: 2_000 } },
  );
  const customer = await createUser(product, { balanceMicros: 1_000_000_000n });
  const buy = async () => {
    const id = await createProxy(product, { exitId: product.exitId });
    return (await customer.call(connect, { body: { id, price: PRICE } })).data;
  };
  /** By the function that a purchase over HTTP calls. @returns the DNS ports */
  const buyInDatabase = async (count: number) => {
    const proxies = await product.database.query<{ id: string }>(
      `insert into proxies (ip, price_micros, country_code, region, city, zip, isp, connection_type, exit_id)
       select '10.0.0.0'::inet + number, 800000, 'DE', 'Berlin', 'Berlin', '10115', 'Telekom', 'LTE', $2
         from generate_series(1, $1::int) as number returning id`,
      [count, product.exitId],
    );
    const bought = await product.database.query<{ dnsPort: number }>(
      `select dns_port as "dnsPort"
         from unnest($1::uuid[], $2::uuid[]) as wanted (id, new_id),
              buy_proxy(wanted.id, 800000, $3, $4, null, new_id, new_id::text, '', '', $5, $5)`,
      [proxies.map(({ id }) => id), proxies.map(() => randomUUID()), customer.id, customer.accountId, 2 * PORTS],
    );
    return bought.map(({ dnsPort }) => dnsPort);
  };
  const end = ({ id }: Connection) => customer.call(disconnect, { params: { id } });
  return { product, buy, buyInDatabase, end };
}

const ascending = (one: number, other: number) => one - other;
const sorted = (connections: readonly Connection[]) => connections.map(({ dnsPort }) => dnsPort!).sort(ascending);

/** Runs the work for each item, a few at a time. */
async function forAll<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += AT_A_TIME)
    results.push(...(await Promise.all(items.slice(from, from + AT_A_TIME).map(work))));
  return results;
}

/** Asks each port from one socket until it has answered. */
async function askAll(ports: readonly number[]): Promise<void> {
  const client = createSocket('udp4');
  client.bind(0, '127.0.0.1');
  await once(client, 'listening');
  onTestFinished(() => void client.close());
  const open = new Set(ports);
  client.on('message', (message, { port }) => {
    if (read(message).address === '192.0.2.7') open.delete(port);
  });
  await forAll(ports, async (port) => {
    let sentAt = Number.NEGATIVE_INFINITY;
    while (open.has(port)) {
      if (performance.now() - sentAt > RESEND_MS) {
        client.send(question(`port-${port}.test`), port, HOST);
        sentAt = performance.now();
      }
      await new Promise((fulfil) => setTimeout(fulfil, 5));
    }
  });
}

test(
  `${PORTS} ports are assigned to connections, served by one process, and released`,
  { timeout: TEST_MS },
  async () => {
    const { product, buy, buyInDatabase, end } = await startNode();
    const connections = await forAll(Array.from({ length: BOUGHT_OVER_HTTP }), buy);
    const ports = [...sorted(connections), ...(await buyInDatabase(PORTS - BOUGHT_OVER_HTTP))].sort(ascending);
    expect(ports).toEqual(Array.from({ length: PORTS }, (_, index) => FIRST_PORT + index));
    const late = await buy();
    expect(late.dnsPort).toBeNull();

    // As if the customer had listed this machine for each of them, which takes a login first.
    await product.database.query(
      `select replace_allow_list(id, '{127.0.0.1/32}') from connections where status = 'WORK' and id <> $1`,
      [late.id],
    );
    await untilGauge(product.gateway, 'gateway_dns_ports', PORTS);
    await askAll(ports);
    await untilGauge(product.gateway, 'gateway_connections', PORTS);

    const ended = connections.slice(0, ENDED);
    await forAll(ended, end);
    await untilGauge(product.gateway, 'gateway_dns_ports', PORTS - ENDED);
    const next = await forAll(ended, buy);
    expect(sorted(next)).toEqual(sorted(ended));
    expect((await buy()).dnsPort).toBeNull();
    expect(await stopProduct(product)).toEqual([]);
  },
);

/** Names of a customer's destinations, behind a proxy that staff import: resolved through it, and judged by the gateway. */
import { applyImport, checkImport, listInventory } from '@cellhop/contract/staff/inventory';
import { importColumns } from '@cellhop/contract/staff/inventory.values';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { address, answerTo, read, TYPE } from '../../../gateway/test/dns-messages.ts';
import { startResolver } from '../../../gateway/test/dns-resolver.ts';
import { basic, openClient } from '../../../gateway/test/gateway-harness.ts';
import { startNameServer } from '../../../gateway/test/name-server.ts';
import { listenLocally } from '../../../gateway/test/sockets.ts';
import { startSocks5Upstream } from '../../../gateway/test/upstream.ts';
import { createUser } from '../factories.ts';
import { runJobs } from '../mail.ts';
import { buy, find, PRICE, type Product, startProduct, stopProduct } from './product.ts';

const [IP, PUBLIC, OF_THE_NODE] = ['192.0.2.1', '93.184.215.14', '93.184.215.99'];
/** As the name server answers that is seen through the proxy. */
const TABLE: Record<string, string> = {
  'origin.example': PUBLIC,
  'metadata.example': '169.254.169.254',
  'router.example': '192.168.1.1',
  'example.com': PUBLIC,
};

let product: Product;
let servesDns = true;
let upstream: Awaited<ReturnType<typeof startSocks5Upstream>>;
let through: Awaited<ReturnType<typeof startResolver>>;
let nodes: Awaited<ReturnType<typeof startNameServer>>;
let origin: Awaited<ReturnType<typeof listenLocally>>;
beforeAll(async () => {
  nodes = await startNameServer(() => [OF_THE_NODE]);
  through = await startResolver(({ message, name, respond }) => {
    const known = read(message).type === TYPE.A ? TABLE[name] : undefined;
    respond(answerTo(message, known === undefined ? [] : [address(known)]));
  });
  origin = await listenLocally((socket) => void socket.pipe(socket));
  upstream = await startSocks5Upstream({
    route: (authority) => {
      const [host = '', port] = authority.split(':');
      if (authority === nodes.address)
        return servesDns ? { host, port: Number(through.address.split(':')[1]) } : undefined;
      return { host: '127.0.0.1', port: host === PUBLIC ? origin.port : Number(port) };
    },
  });
  product = await startProduct({}, { allowPrivate: false, nameServers: [nodes.address] });
});
afterAll(async () => {
  expect(await stopProduct(product)).toEqual([]);
  upstream.stop();
  through.stop();
  nodes.stop();
  origin.server.close();
});

test('a customer’s CONNECT to a name leads where the name server says that is seen through the exit, and never inside', async () => {
  const admin = await createUser(product, { roleName: 'ADMIN' });
  const exit = `socks5://127.0.0.1:${upstream.port}`;
  const line = `${IP},${PRICE},DE,Berlin,Berlin,10115,Telekom,LTE,default,socks5,${exit}`;
  const file = { type: 'text/csv', content: `${importColumns.join(',')}\n${line}` };
  const { data: checked } = await admin.call(
    checkImport,
    { query: { format: 'csv', fileName: 'stock.csv' } },
    { file },
  );
  await admin.call(applyImport, { params: { id: checked.id! } });
  await runJobs(product);
  const inInventory = async () => (await admin.call(listInventory, { query: { ip: IP } })).data[0]!;
  await expect
    .poll(inInventory)
    .toMatchObject({ state: 'FREE', exit: { names: 'exit' }, check: { capabilities: { dns: true } } });

  const customer = await createUser(product, { balanceMicros: 1_000_000n });
  const connection = await buy(customer, (await inInventory()).id);
  const connectTo = async (host: string) => {
    const client = await openClient(product.gateway.port);
    const fields = `Host: ${host}:443\r\nProxy-Authorization: ${basic(connection)}\r\n`;
    client.socket.write(`CONNECT ${host}:443 HTTP/1.1\r\n${fields}\r\n`);
    return { client, head: await client.takeUntil('\r\n\r\n') };
  };
  const { client, head } = await connectTo('origin.example');
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  client.socket.end('hello');
  expect((await client.rest()).bytes.toString()).toBe('hello');
  expect(upstream.seen.targets).toContain(`${PUBLIC}:443`);
  expect(upstream.seen.targets).not.toContain(`${OF_THE_NODE}:443`);
  expect(nodes.queries).not.toContain('origin.example');
  expect(through.asked.filter(({ name }) => name === 'origin.example')).toMatchObject([
    { transport: 'tcp' },
    { transport: 'tcp' },
  ]);

  for (const name of ['metadata.example', 'router.example']) {
    const refused = await connectTo(name);
    expect(refused.head).toMatch(/^HTTP\/1\.1 403 /);
    refused.client.socket.destroy();
    expect(through.asked.some((asked) => asked.name === name)).toBe(true);
    expect(upstream.seen.targets).not.toContain(`${TABLE[name]}:443`);
  }
  // The lookups are free.
  await expect.poll(async () => (await find(customer, connection.id)).trafficUsed).toBe(10 / 1024);

  // No name server is reached through the exit any more: the next check says so, and the node's answers.
  servesDns = false;
  for (const socket of upstream.sockets) socket.destroy();
  await product.database.query(`update exit_checks set next_check_at = now(), capabilities_at = null`);
  await expect.poll(inInventory).toMatchObject({ exit: { names: 'node' }, check: { capabilities: { dns: false } } });
  const later = await connectTo('later.example');
  later.client.socket.destroy();
  expect(nodes.queries).toContain('later.example');
});

/** @module-tag thorough */
import { describe, expect, it } from 'vitest';
import {
  counted,
  logIn,
  openDnsClient,
  openTcp,
  startDnsNode,
  startReadyNode,
  takeMessage,
} from '../../test/dns-harness.ts';
import { answerTo, framed, question, read, type RecordOptions, service, TYPE } from '../../test/dns-messages.ts';
import { socks5Connect, untilGauge } from '../../test/gateway-harness.ts';

const NAME_ERROR = 3;
const REFUSED = 5;
const PRIVATE = Uint8Array.of(192, 168, 1, 1);
const PRIVATE_IPV6 = Uint8Array.of(0xfd, ...Array.from({ length: 15 }, () => 1));
const PUBLIC = Uint8Array.of(9, 9, 9, 9);

describe('a question for a name of a local network', () => {
  const cases = [
    ['1.1.168.192.in-addr.arpa', TYPE.PTR],
    ['1.0.0.127.IN-ADDR.arpa', TYPE.PTR],
    ['_ldap._tcp.dc._msdcs.Internal', TYPE.SRV],
    ['consul.service.internal', TYPE.TXT],
    ['printer.local', TYPE.A],
    ['intranet.corp', TYPE.HTTPS],
    ['router.home.arpa', TYPE.AAAA],
    ['internal', TYPE.ANY],
  ] as const;

  it.each(cases)(
    '%s (type %i) gets NXDOMAIN over UDP and TCP; no name server is asked, and nothing is counted',
    async (name, type) => {
      const node = await startReadyNode();
      const asked = question(name, { type, payloadBytes: 1_232 });
      const client = await openDnsClient(node.dnsPort);
      expect(read(await client.ask(asked))).toMatchObject({
        code: NAME_ERROR,
        name,
        type,
        answers: 0,
        payloadBytes: 1_232,
      });
      const tcp = openTcp(node.dnsPort);
      tcp.socket.write(framed(asked));
      expect(read(await takeMessage(tcp))).toMatchObject({ code: NAME_ERROR });
      expect(node.resolver.asked).toEqual([]);
      expect(await counted(node, 'gateway_dns_queries_total', { outcome: 'special-name' })).toBe(2);
      await node.gateway.close();
      expect(node.connection.usedBytes).toBe(0);
    },
  );

  it('fails as the destination of a tunnel, too', async () => {
    const node = await startDnsNode();
    for (const name of ['db.internal', 'printer.local'])
      expect((await socks5Connect(node.gateway, node.connection, name, 80)).reply).toBe(4);
    expect(node.resolver.asked).toEqual([]);
  });
});

async function askFor(record: RecordOptions) {
  const node = await startDnsNode(({ message, respond }) => respond(answerTo(message, [record])), {
    allowPrivate: false,
  });
  // A refused destination is an authenticated request, too.
  await socks5Connect(node.gateway, node.connection, '127.0.0.1', 80);
  await untilGauge(node.gateway, 'gateway_dns_ports', 1);
  const client = await openDnsClient(node.dnsPort);
  return { node, answer: read(await client.ask(question('rebinding.test', { type: record.type }))) };
}

describe('an HTTPS or SVCB record', () => {
  const withheld: [string, RecordOptions][] = [
    ['a private ipv4hint', service(TYPE.HTTPS, [1, Buffer.from('\x02h2')], [4, Buffer.concat([PUBLIC, PRIVATE])])],
    ['a private ipv6hint', service(TYPE.SVCB, [6, PRIVATE_IPV6])],
  ];

  it.each(withheld)('with %s is withheld like one with a private address', async (_, record) => {
    const { node, answer } = await askFor(record);
    expect(answer).toMatchObject({ code: 0, answers: 0 });
    expect(await counted(node, 'gateway_dns_queries_total', { outcome: 'filtered' })).toBe(1);
  });

  it('with public hints, or without any, is passed on', async () => {
    expect((await askFor(service(TYPE.HTTPS, [3, Buffer.from([1, 187])], [4, PUBLIC]))).answer.answers).toBe(1);
    expect((await askFor(service(TYPE.SVCB))).answer.answers).toBe(1);
  });

  it('with malformed hints never arrives', async () => {
    const { answer } = await askFor(service(TYPE.HTTPS, [4, PRIVATE.subarray(0, 3)]));
    expect(answer).toMatchObject({ code: 2, answers: 0 });
  });
});

describe('what this node answers itself', () => {
  it('costs nothing, neither question nor answer', async () => {
    const node = await startReadyNode();
    const client = await openDnsClient(node.dnsPort);
    expect(read(await client.ask(question('zone.test', { type: TYPE.AXFR })))).toMatchObject({ code: REFUSED });
    await node.gateway.close();
    expect(node.connection.usedBytes).toBe(0);
  });

  it('never begins a paid megabyte when the exit is dead', async () => {
    const node = await startDnsNode();
    const exit = { kind: 'local-address', address: '192.0.2.99' } as const;
    const dead = node.control.sell({ dnsPort: node.dnsPort, exit });
    expect((await socks5Connect(node.gateway, dead, '127.0.0.1', 80)).reply).toBe(1);
    await untilGauge(node.gateway, 'gateway_dns_ports', 1);
    const client = await openDnsClient(node.dnsPort);
    expect(read(await client.ask(question('one.test')))).toMatchObject({ code: 2 });
    await node.gateway.close();
    expect(dead.usedBytes).toBe(0);
  });

  it('never begins one when the name servers are silent', async () => {
    const node = await startDnsNode(() => {}, { limits: { dnsAnswerMs: 200, resolverAttemptMs: 100 } });
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    expect(read(await client.ask(question('silent.test')))).toMatchObject({ code: 2 });
    expect(node.resolver.asked.length).toBeGreaterThan(1);
    await node.gateway.close();
    expect(node.connection.usedBytes).toBe(0);
  });

  it('needs credit for the question, as if it were asked', async () => {
    const asked = question('printer.local');
    const node = await startDnsNode();
    const poor = node.control.sell({ dnsPort: node.dnsPort, allowedBytes: asked.length - 1 });
    await logIn(node, poor);
    const client = await openDnsClient(node.dnsPort);
    client.send(asked);
    await expect.poll(() => counted(node, 'gateway_dns_dropped_total', { reason: 'no-credit' })).toBe(1);
    expect(client.received).toEqual([]);
  });
});

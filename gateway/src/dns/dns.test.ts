import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { DnsClient, freeDnsPort } from '../../test/dns-client.ts';
import { address, answerTo, framed, nameOf, question, read, text, TYPE } from '../../test/dns-messages.ts';
import { type Asked, startResolver } from '../../test/dns-resolver.ts';
import type { FakeConnection } from '../../test/control-plane.ts';
import { type Harness, openClient, socks5Connect, startHarness, untilGauge } from '../../test/gateway-harness.ts';
import { closedPort, Reader, until } from '../../test/sockets.ts';
import type { GatewaySettings } from '../gateway.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** Answers every A question with 192.0.2.7. */
const answerAll = ({ message, respond }: Asked) => respond(answerTo(message, [address('192.0.2.7')]));

async function start(onQuestion: (asked: Asked) => void = answerAll, settings: Partial<GatewaySettings> = {}) {
  const resolver = await startResolver(onQuestion);
  const harness = await startHarness({ nameServers: [resolver.address], ...settings });
  stops.push(
    () => resolver.stop(),
    () => harness.stop(),
  );
  const dnsPort = await freeDnsPort();
  const connection = harness.control.sell({ dnsPort });
  return { ...harness, resolver, connection, dnsPort };
}

/** Authenticates on the public port; then the address may use the DNS port. Nothing listens on the destination. */
async function logIn({ gateway }: Pick<Harness, 'gateway'>, connection: FakeConnection): Promise<void> {
  const { client, reply } = await socks5Connect(gateway, connection, '127.0.0.1', await closedPort());
  expect(reply).toBe(5);
  client.socket.destroy();
  if (connection.dnsPort) await untilGauge(gateway, 'gateway_dns_ports', 1);
}

async function openDnsClient(port: number, from?: string): Promise<DnsClient> {
  const client = await DnsClient.open(port, from);
  stops.push(() => client.close());
  return client;
}

async function openTcp(port: number): Promise<Reader> {
  const reader = await openClient(port);
  stops.push(() => reader.socket.destroy());
  return reader;
}

async function takeMessage(reader: Reader): Promise<Buffer> {
  return reader.take((await reader.take(2)).readUInt16BE(0));
}

async function counted(harness: Harness, metric: string, labels: Record<string, string>): Promise<number> {
  const found = (await harness.gateway.metrics.registry.getMetricsAsJSON()).find(({ name }) => name === metric);
  const isWanted = (given: object) =>
    Object.entries(labels).every(([key, value]) => Object.entries(given).some(([k, v]) => k === key && v === value));
  return (found?.values ?? []).filter((value) => isWanted(value.labels)).reduce((sum, { value }) => sum + value, 0);
}

const untilDropped = async (harness: Harness, reason: string, count = 1) => {
  await expect.poll(() => counted(harness, 'gateway_dns_dropped_total', { reason })).toBe(count);
};

describe('the DNS port', () => {
  it('answers a client that has authenticated, over UDP and TCP, and counts the messages exactly', async () => {
    const node = await start();
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    const asked = question('Example.COM', { id: 0xbeef });
    const answer = await client.ask(asked);
    expect(read(answer)).toMatchObject({ id: 0xbeef, code: 0, name: 'Example.COM', answers: 1, address: '192.0.2.7' });
    const tcp = await openTcp(node.dnsPort);
    tcp.socket.write(framed(asked));
    expect(await takeMessage(tcp)).toEqual(answer);
    await node.gateway.close();
    expect(node.connection.uploadedBytes).toBe(2 * asked.length);
    expect(node.connection.endedAtBytes).toBe(2 * (asked.length + answer.length));
    expect(await counted(node, 'gateway_bytes_total', { protocol: 'dns' })).toBe(node.connection.endedAtBytes);
  });

  it('gives nothing to other addresses, over UDP and TCP', async () => {
    const node = await start();
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    await client.ask(question('known.test'));
    const usedBytes = await counted(node, 'gateway_bytes_total', { protocol: 'dns' });
    const stranger = await openDnsClient(node.dnsPort, '127.0.0.2');
    stranger.send(question('stranger.test'));
    await untilDropped(node, 'stranger');
    const tcp = new Reader(connect({ port: node.dnsPort, host: '127.0.0.1', localAddress: '127.0.0.2' }));
    tcp.socket.write(framed(question('stranger.test')));
    expect(await tcp.rest()).toMatchObject({ bytes: Buffer.alloc(0), end: 'reset' });
    expect(stranger.received).toEqual([]);
    expect(node.resolver.asked.map(({ name }) => name)).not.toContain('stranger.test');
    expect(await counted(node, 'gateway_bytes_total', { protocol: 'dns' })).toBe(usedBytes);
  });

  it('forgets a client after the time, and when the password changes', async () => {
    const node = await start(answerAll, { limits: { dnsClientMs: 300 } });
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    await client.ask(question('one.test'));
    await new Promise((fulfil) => setTimeout(fulfil, 300));
    client.send(question('two.test'));
    await untilDropped(node, 'stranger');

    const other = await start();
    await logIn(other, other.connection);
    const second = await openDnsClient(other.dnsPort);
    await second.ask(question('one.test'));
    const tcp = await openTcp(other.dnsPort);
    tcp.socket.write(framed(question('one.test')));
    await takeMessage(tcp);
    await until(() => other.control.held.size > 0);
    other.control.changeAccess(other.connection, { password: 'another-password-of-it' });
    other.control.announceAccess(other.connection);
    expect((await tcp.rest()).end).toBe('reset');
    second.send(question('two.test'));
    await untilDropped(other, 'stranger');
    expect(second.received).toHaveLength(1);
  });

  it('is open for listed clients before the first tunnel, and follows the list', async () => {
    const access = { revision: 1, passwordRevision: 1, allowList: ['127.0.0.3/32'] };
    const resolver = await startResolver(answerAll);
    const dnsPort = await freeDnsPort();
    const harness = await startHarness({ nameServers: [resolver.address], limits: { dnsPortsRetryMs: 20 } });
    stops.push(
      () => resolver.stop(),
      () => harness.stop(),
    );
    const connection = harness.control.sell({ dnsPort, access });
    // Others may list the same address: the port says which connection is meant.
    harness.control.sell({ access });
    await until(() => harness.control.held.size > 0);
    harness.control.announceAccess(connection);
    await untilGauge(harness.gateway, 'gateway_dns_ports', 1);
    const listed = await openDnsClient(dnsPort, '127.0.0.3');
    expect(read(await listed.ask(question('listed.test')))).toMatchObject({ address: '192.0.2.7' });
    expect(harness.control.calls).toMatchObject({ authorize: 0, authorizeAddress: 1 });
    const stranger = await openDnsClient(dnsPort);
    stranger.send(question('stranger.test'));
    await untilDropped(harness, 'stranger');
    await until(() => harness.control.held.size > 0);
    harness.control.changeAccess(connection, { allowList: [] });
    harness.control.announceAccess(connection);
    listed.send(question('late.test'));
    await untilDropped(harness, 'stranger', 2);
    expect(resolver.asked.map(({ name }) => name)).toEqual(['listed.test']);
  });

  it('closes with its connection within 100 ms, and its number serves the next connection', async () => {
    const node = await start();
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    await client.ask(question('one.test'));
    const tcp = await openTcp(node.dnsPort);
    tcp.socket.write(framed(question('one.test')));
    await takeMessage(tcp);
    await until(() => node.control.held.size > 0);
    const endedAt = performance.now();
    node.control.announceEnd(node.connection, 'USER');
    expect((await tcp.rest()).end).toBe('reset');
    expect(performance.now() - endedAt).toBeLessThan(100);
    await untilGauge(node.gateway, 'gateway_dns_ports', 0);
    client.send(question('late.test'));
    const next = node.control.sell({ dnsPort: node.dnsPort });
    await logIn(node, next);
    await client.ask(question('next.test'));
    expect(node.resolver.asked.map(({ name }) => name)).toEqual(['one.test', 'one.test', 'next.test']);
  });

  it('answers the questions in flight before the node stops, and takes no further ones', async () => {
    const held: Asked[] = [];
    const node = await start((asked) => void held.push(asked));
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    client.send(question('slow.test'));
    await until(() => node.resolver.asked.length > 0);
    const closed = node.gateway.close({ drainMs: 5_000 });
    client.send(question('late.test', { id: 2 }));
    await untilDropped(node, 'port-closed');
    held.forEach(answerAll);
    expect(await closed).toBe(true);
    expect(client.received.map((message) => nameOf(message))).toEqual(['slow.test']);
    expect(node.connection.endedAtBytes).toBe(question('slow.test').length + client.received[0]!.length);
  });

  it('does not exist for a control plane that sends none', async () => {
    const node = await start();
    const old = node.control.sell({ dnsPort: undefined });
    await logIn(node, old);
    expect(await untilGauge(node.gateway, 'gateway_dns_ports', 0)).toBe(0);
  });

  it('is tried again while another process uses it', async () => {
    const node = await start(answerAll, { limits: { dnsPortsCheckMs: 20 } });
    const other = createSocket('udp4');
    other.bind(node.dnsPort, '127.0.0.1');
    await once(other, 'listening');
    await socks5Connect(node.gateway, node.connection, '127.0.0.1', await closedPort());
    await untilGauge(node.gateway, 'gateway_dns_ports_failed', 1);
    other.close();
    await untilGauge(node.gateway, 'gateway_dns_ports', 1);
    expect(read(await (await openDnsClient(node.dnsPort)).ask(question('one.test')))).toMatchObject({ answers: 1 });
  });
});

describe('a question', () => {
  it('leaves from the address of the exit, with another id, spelling and port', async () => {
    const resolver = await startResolver(answerAll);
    const harness = await startHarness({ nameServers: [resolver.address] });
    stops.push(
      () => resolver.stop(),
      () => harness.stop(),
    );
    const dnsPort = await freeDnsPort();
    const connection = harness.control.sell({ dnsPort, exit: { kind: 'local-address', address: '127.0.0.9' } });
    await logIn(harness, connection);
    const client = await openDnsClient(dnsPort);
    const name = 'a-long-name-with-many-letters.example.test';
    for (let id = 1; id <= 40; id += 1)
      expect(read(await client.ask(question(name, { id })))).toMatchObject({ id, name, address: '192.0.2.7' });
    const { asked } = resolver;
    expect(new Set(asked.map(({ from }) => from))).toEqual(new Set(['127.0.0.9']));
    expect(new Set(asked.map(({ message }) => message.readUInt16BE(0))).size).toBeGreaterThan(30);
    expect(new Set(asked.map(({ message }) => nameOf(message))).size).toBe(40);
    expect(new Set(asked.map(({ fromPort }) => fromPort)).size).toBeGreaterThan(1);
  });

  it.each([
    ['another opcode', '123428000001000000000000076578616d706c6503636f6d0000010001', '1234a8840000000000000000'],
    ['no question', '432101000000000000000000', '432181810000000000000000'],
    ['two questions', '4321010000020000000000000001000100000100 01'.replace(' ', ''), '432181810000000000000000'],
    [
      'a zone transfer',
      '567801000001000000000000076578616d706c6503636f6d0000fc0001',
      '567881850001000000000000076578616d706c6503636f6d0000fc0001',
    ],
    [
      'a later version of EDNS',
      '9abc01000001000000000001076578616d706c6503636f6d00000100010000291000000100000000',
      '9abc81800001000000000001076578616d706c6503636f6d000001000100002904d0010000000000',
    ],
  ])('with %s gets the answer of the RFCs from the node itself', async (_, sent, answer) => {
    const node = await start();
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    expect((await client.ask(Buffer.from(sent, 'hex'))).toString('hex')).toBe(answer);
    expect(node.resolver.asked).toEqual([]);
  });

  it.each([
    ['shorter than a header', '1234010000010000000000'],
    ['with a truncated name', '12340100000100000000000007657861'],
    ['with a name that points to itself', '123401000001000000000000c00c00010001'],
    ['with bytes after the end', '12340100000100000000000000000100010000'],
    ['that is an answer', '123481800001000000000000000001 0001'.replace(' ', '')],
  ])('%s is dropped and costs nothing', async (_, sent) => {
    const node = await start();
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    await client.ask(question('known.test'));
    const before = await counted(node, 'gateway_bytes_total', { protocol: 'dns' });
    client.send(Buffer.from(sent, 'hex'));
    await expect.poll(() => counted(node, 'gateway_dns_dropped_total', { transport: 'udp' })).toBe(1);
    expect(client.received).toHaveLength(1);
    expect(await counted(node, 'gateway_bytes_total', { protocol: 'dns' })).toBe(before);
  });

  it('of type ANY, and an answer with an error, are passed on', async () => {
    const node = await start(({ message, respond }) => respond(answerTo(message, [], 0x8183)));
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    const answer = await client.ask(question('missing.test', { type: TYPE.ANY }));
    expect(read(answer)).toMatchObject({ code: 3, type: TYPE.ANY, answers: 0 });
  });

  it('whose answer has a private address gets none of its records', async () => {
    const node = await start(
      ({ message, respond }) => respond(answerTo(message, [address('9.9.9.9'), address('192.168.1.1')])),
      { allowPrivate: false },
    );
    const client = await openDnsClient(node.dnsPort);
    // A refused destination is an authenticated request, too.
    const { reply } = await socks5Connect(node.gateway, node.connection, '127.0.0.1', 80);
    expect(reply).toBe(2);
    await untilGauge(node.gateway, 'gateway_dns_ports', 1);
    expect(read(await client.ask(question('rebinding.test')))).toMatchObject({ code: 0, answers: 0 });
    expect(await counted(node, 'gateway_dns_queries_total', { outcome: 'withheld' })).toBe(1);
  });

  it('beyond the rate of its client is dropped', async () => {
    const node = await start(answerAll, {
      limits: { dnsQuestionsPerSecondPerClient: 0.001, dnsQuestionsBurstPerClient: 3 },
    });
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    for (let id = 1; id <= 3; id += 1) await client.ask(question('one.test', { id }));
    client.send(question('one.test', { id: 4 }));
    await untilDropped(node, 'rate');
    expect(client.received).toHaveLength(3);
  });

  it('beyond the limit in flight is dropped', async () => {
    const node = await start(() => {}, { limits: { dnsQuestionsInFlight: 2 } });
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    for (let id = 1; id <= 5; id += 1) client.send(question('held.test', { id }));
    await untilDropped(node, 'in-flight', 3);
    expect(node.resolver.asked).toHaveLength(2);
  });
});

describe('an answer', () => {
  it.each([
    [undefined, 512],
    [100, 512],
    [1_000, 1_000],
    [4_096, 1_232],
  ])('for a client that accepts %s bytes is truncated above %i, and complete over TCP', async (payloadBytes, max) => {
    const node = await start(({ message, respond, name }) => {
      const records = [text(Number(name.split('.')[0]))];
      respond(answerTo(message, records));
    });
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    const options = { type: TYPE.TXT, ...(payloadBytes !== undefined && { payloadBytes }) };
    const small = await client.ask(question('100.test', options));
    const overhead = small.length - 100;
    const fits = max - overhead - (String(max).length - 3);
    const largest = await client.ask(question(`${fits}.test`, options));
    expect([largest.length <= max, read(largest).isTruncated]).toEqual([true, false]);
    const tooLarge = question(`${max}.test`, options);
    const truncated = await client.ask(tooLarge);
    expect(read(truncated)).toMatchObject({ isTruncated: true, answers: 0, code: 0, name: `${max}.test` });
    expect(read(truncated).payloadBytes).toBe(payloadBytes === undefined ? undefined : 1_232);
    const tcp = await openTcp(node.dnsPort);
    tcp.socket.write(framed(tooLarge));
    const whole = await takeMessage(tcp);
    expect(whole.length).toBeGreaterThan(max);
    expect(read(whole)).toMatchObject({ isTruncated: false, answers: 1 });
  });

  it('that is truncated upstream reaches a UDP client truncated, and a TCP client complete', async () => {
    const node = await start(({ message, respond, transport }) =>
      respond(transport === 'tcp' ? answerTo(message, [text(5_000)]) : answerTo(message, [], 0x8380)),
    );
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    expect(read(await client.ask(question('large.test', { type: TYPE.TXT })))).toMatchObject({ isTruncated: true });
    const tcp = await openTcp(node.dnsPort);
    tcp.socket.write(framed(question('large.test', { type: TYPE.TXT })));
    expect((await takeMessage(tcp)).length).toBeGreaterThan(5_000);
    expect(node.resolver.asked.map(({ transport }) => transport)).toEqual(['udp', 'udp', 'tcp']);
  });

  it('that is forged, repeated or late is dropped', async () => {
    const forged = address('6.6.6.6');
    const node = await start(({ message, respond }) => {
      const wrongId = Buffer.from(message);
      wrongId.writeUInt16BE(message.readUInt16BE(0) ^ 0xffff, 0);
      respond(answerTo(wrongId, [forged]));
      respond(Buffer.from([1]));
      respond(answerTo(message, [address('192.0.2.7')]));
      respond(answerTo(message, [forged]));
    });
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    const answer = await client.ask(question('one.test'));
    expect(read(answer).address).toBe('192.0.2.7');
    await expect.poll(() => counted(node, 'gateway_dns_upstream_total', { event: 'unexpected' })).toBe(3);
    expect(client.received).toEqual([answer]);
  });

  it('from another address than the name server never arrives', async () => {
    const forger = createSocket('udp4');
    forger.bind(0, '127.0.0.5');
    await once(forger, 'listening');
    stops.push(() => forger.close());
    const node = await start(({ message, fromPort, respond }) => {
      forger.send(answerTo(message, [address('6.6.6.6')]), fromPort, '127.0.0.1', () =>
        respond(answerTo(message, [address('192.0.2.7')])),
      );
    });
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    for (let id = 1; id <= 10; id += 1)
      expect(read(await client.ask(question('one.test', { id }))).address).toBe('192.0.2.7');
    expect(client.received).toHaveLength(10);
  });

  it('with another spelling or another question is not believed; TCP decides', async () => {
    const node = await start(({ message, respond, transport }) => {
      const records = [address(transport === 'tcp' ? '192.0.2.7' : '6.6.6.6')];
      const other = Buffer.from(message);
      for (let at = 13; at < 17; at += 1) other[at] = other[at]! ^ 0x20;
      respond(answerTo(transport === 'tcp' ? message : other, records));
    });
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    expect(read(await client.ask(question('spelling.test'))).address).toBe('192.0.2.7');
    expect(await counted(node, 'gateway_dns_upstream_total', { event: 'unlike' })).toBe(1);
  });
});

describe('name servers', () => {
  it('that are silent are passed over, and a client hears of the failure', async () => {
    const silent = await startResolver(() => {});
    const working = await startResolver(answerAll);
    stops.push(
      () => silent.stop(),
      () => working.stop(),
    );
    const node = await start(answerAll, {
      nameServers: [silent.address, working.address],
      limits: { resolverAttemptMs: 500 },
    });
    await logIn(node, node.connection);
    const client = await openDnsClient(node.dnsPort);
    for (let id = 1; id <= 3; id += 1)
      expect(read(await client.ask(question('one.test', { id })))).toMatchObject({ code: 0 });
    expect([silent.asked.length, working.asked.length]).toEqual([1, 3]);
    working.stop();
    stops.splice(1, 1);
    expect(read(await client.ask(question('two.test')))).toMatchObject({ code: 2, name: 'two.test' });
    expect(await counted(node, 'gateway_dns_upstream_total', { event: 'silent' })).toBeGreaterThan(1);
  });

  it('are never asked from another address if that of the exit is missing', async () => {
    const node = await start();
    const dnsPort = await freeDnsPort();
    const exit = { kind: 'local-address', address: '192.0.2.99' } as const;
    const lost = node.control.sell({ dnsPort, exit });
    const { reply } = await socks5Connect(node.gateway, lost, '127.0.0.1', 80);
    expect(reply).toBe(1);
    await untilGauge(node.gateway, 'gateway_dns_ports', 1);
    const client = await openDnsClient(dnsPort);
    expect(read(await client.ask(question('one.test'))).code).toBe(2);
    expect(node.resolver.asked).toEqual([]);
  });
});

describe('the end of the money', () => {
  it('drops questions and answers as a whole: none is cut, none is free', async () => {
    const asked = question('one.test');
    const answerBytes = answerTo(asked, [address('192.0.2.7')]).length;
    const node = await start();
    const allowedBytes = 2 * (asked.length + answerBytes) + asked.length + 3;
    const poor = node.control.sell({ dnsPort: await freeDnsPort(), allowedBytes });
    await logIn(node, poor);
    const client = await openDnsClient(poor.dnsPort!);
    await client.ask(asked);
    await client.ask(asked);
    client.send(asked); // The question is paid, its answer is not.
    await untilDropped(node, 'no-credit');
    client.send(asked);
    await untilDropped(node, 'no-credit', 2);
    await node.gateway.close();
    expect(poor.endedAtBytes).toBe(2 * (asked.length + answerBytes) + asked.length);
    expect(client.received).toHaveLength(2);
  });

  it('ends the connection exactly with the last paid byte', async () => {
    const asked = question('one.test');
    const answerBytes = answerTo(asked, [address('192.0.2.7')]).length;
    const node = await start();
    const allowedBytes = 2 * (asked.length + answerBytes);
    const poor = node.control.sell({ dnsPort: await freeDnsPort(), allowedBytes });
    await logIn(node, poor);
    const client = await openDnsClient(poor.dnsPort!);
    await client.ask(asked);
    await client.ask(asked);
    await until(() => poor.endedAtBytes !== undefined);
    expect(poor.endedAtBytes).toBe(allowedBytes);
    await untilGauge(node.gateway, 'gateway_dns_ports', 0);
  });

  it('gets grants for DNS traffic alone', async () => {
    const node = await start(({ message, respond }) => respond(answerTo(message, [text(1_000)])), {
      limits: { updateIntervalMs: 20 },
    });
    const connection = node.control.sell({ dnsPort: await freeDnsPort(), grantStepBytes: 3_000 });
    await logIn(node, connection);
    const client = await openDnsClient(connection.dnsPort!);
    for (let id = 1; id <= 12; id += 1)
      await client.ask(question('one.test', { id, type: TYPE.TXT, payloadBytes: 1_232 }), 100);
    expect(connection.grantedBytes).toBeGreaterThan(12_000);
  });
});

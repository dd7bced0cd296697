import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freeDnsPort } from '../../test/dns-client.ts';
import {
  answerAll,
  counted,
  logIn,
  openDnsClient,
  openResolver,
  openTcp,
  startDnsNode,
  startReadyNode,
  takeMessage,
  untilDropped,
} from '../../test/dns-harness.ts';
import { address, answerTo, framed, readName, question, read, text, TYPE } from '../../test/dns-messages.ts';
import type { Asked } from '../../test/dns-resolver.ts';
import { socks5Connect, untilGauge } from '../../test/gateway-harness.ts';
import { freePort } from '../../../tools/ports.mjs';
import { listenLocally, until } from '../../test/sockets.ts';
import { startNameServer } from '../../test/name-server.ts';
import { associate } from '../../test/udp.ts';
import { dropped, startNode } from '../../test/udp-harness.ts';
import { defaultLimits } from '../limits.ts';

describe('the DNS port', () => {
  it('answers a client that has authenticated, over UDP and TCP, and counts the messages exactly', async () => {
    const node = await startReadyNode();
    const client = await openDnsClient(node.dnsPort);
    const asked = question('Example.COM', { id: 0xbeef });
    const answer = await client.ask(asked);
    expect(read(answer)).toMatchObject({ id: 0xbeef, code: 0, name: 'Example.COM', answers: 1, address: '192.0.2.7' });
    const tcp = openTcp(node.dnsPort);
    tcp.socket.write(framed(asked));
    expect(await takeMessage(tcp)).toEqual(answer);
    await node.gateway.close();
    expect(node.connection.uploadedBytes).toBe(2 * asked.length);
    expect(node.connection.endedAtBytes).toBe(2 * (asked.length + answer.length));
    expect(await counted(node, 'gateway_bytes_total', { protocol: 'dns' })).toBe(node.connection.endedAtBytes);
  });

  it('does not answer other addresses, over UDP and TCP', async () => {
    const node = await startReadyNode();
    const client = await openDnsClient(node.dnsPort);
    await client.ask(question('known.test'));
    const usedBytes = await counted(node, 'gateway_bytes_total', { protocol: 'dns' });
    const stranger = await openDnsClient(node.dnsPort, '127.0.0.2');
    stranger.send(question('stranger.test'));
    await untilDropped(node, 'client-not-allowed');
    const tcp = openTcp(node.dnsPort, '127.0.0.2');
    tcp.socket.write(framed(question('stranger.test')));
    expect(await tcp.rest()).toMatchObject({ bytes: Buffer.alloc(0), end: 'reset' });
    expect(stranger.received).toEqual([]);
    expect(node.resolver.asked.map(({ name }) => name)).not.toContain('stranger.test');
    expect(await counted(node, 'gateway_bytes_total', { protocol: 'dns' })).toBe(usedBytes);
  });

  it('forgets a client after the time, and when the password changes', async () => {
    const node = await startReadyNode();
    const client = await openDnsClient(node.dnsPort);
    await client.ask(question('one.test'));
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + defaultLimits.dnsClientMs);
    onTestFinished(() => clock.mockRestore());
    client.send(question('two.test'));
    await untilDropped(node, 'client-not-allowed');
    clock.mockRestore();

    const other = await startDnsNode();
    await logIn(other, other.connection);
    const second = await openDnsClient(other.dnsPort);
    await second.ask(question('one.test'));
    const tcp = openTcp(other.dnsPort);
    tcp.socket.write(framed(question('one.test')));
    await takeMessage(tcp);
    await until(() => other.control.held.size > 0);
    other.control.changeAccess(other.connection, { password: 'another-password-of-it' });
    other.control.announceAccess(other.connection);
    expect((await tcp.rest()).end).toBe('reset');
    second.send(question('two.test'));
    await untilDropped(other, 'client-not-allowed');
    expect(second.received).toHaveLength(1);
  });

  it('is open for listed clients before the first tunnel, and follows changes of the list', async () => {
    const access = { revision: 1, passwordRevision: 1, allowList: ['127.0.0.3/32'] };
    const resolver = await openResolver();
    const dnsPort = await freeDnsPort();
    const harness = await startNode({ nameServers: [resolver.address], limits: { dnsPortsRetryMs: 20 } });
    const connection = harness.control.sell({ dnsPort, access });
    // Other connections may list the same address: the port identifies the connection.
    harness.control.sell({ access });
    await until(() => harness.control.held.size > 0);
    harness.control.announceAccess(connection);
    await untilGauge(harness.gateway, 'gateway_dns_ports', 1);
    const listed = await openDnsClient(dnsPort, '127.0.0.3');
    expect(read(await listed.ask(question('listed.test')))).toMatchObject({ address: '192.0.2.7' });
    expect(harness.control.calls).toMatchObject({ authorize: 0, authorizeAddress: 1 });
    const stranger = await openDnsClient(dnsPort);
    stranger.send(question('stranger.test'));
    await untilDropped(harness, 'client-not-allowed');
    await until(() => harness.control.held.size > 0);
    harness.control.changeAccess(connection, { allowList: [] });
    harness.control.announceAccess(connection);
    const refused = () => counted(harness, 'gateway_dns_dropped_total', { reason: 'client-not-allowed' });
    // Until the node has received the change.
    await expect
      .poll(async () => {
        listed.send(question('late.test'));
        return refused();
      })
      .toBeGreaterThan(1);
    const asked = resolver.asked.length;
    const before = await refused();
    listed.send(question('last.test'));
    await expect.poll(refused).toBeGreaterThan(before);
    expect(resolver.asked).toHaveLength(asked);
  });

  it('closes with its connection, and its number can serve the next connection', async () => {
    const node = await startReadyNode();
    const client = await openDnsClient(node.dnsPort);
    await client.ask(question('one.test'));
    const tcp = openTcp(node.dnsPort);
    tcp.socket.write(framed(question('one.test')));
    await takeMessage(tcp);
    await until(() => node.control.held.size > 0);
    node.control.announceEnd(node.connection, 'USER');
    expect((await tcp.rest()).end).toBe('reset');
    expect(await counted(node, 'gateway_dns_dropped_total', { reason: 'idle' })).toBe(0);
    await untilGauge(node.gateway, 'gateway_dns_ports', 0);
    client.send(question('late.test'));
    const next = node.control.sell({ dnsPort: node.dnsPort });
    await logIn(node, next);
    await client.ask(question('next.test'));
    expect(node.resolver.asked.map(({ name }) => name)).toEqual(['one.test', 'one.test', 'next.test']);
  });

  it('answers the questions in flight before the node stops, and takes no further ones', async () => {
    const held: Asked[] = [];
    const node = await startReadyNode((asked) => void held.push(asked));
    const client = await openDnsClient(node.dnsPort);
    client.send(question('slow.test'));
    await until(() => node.resolver.asked.length > 0);
    const closed = node.gateway.close({ drainMs: 5_000 });
    client.send(question('late.test', { id: 2 }));
    await untilDropped(node, 'port-closed');
    held.forEach(answerAll);
    expect(await closed).toBe(true);
    expect(client.received.map((message) => readName(message))).toEqual(['slow.test']);
    expect(node.connection.endedAtBytes).toBe(question('slow.test').length + client.received[0]!.length);
  });

  it('of an unused connection closes when the node begins to drain, for its next process', async () => {
    const node = await startReadyNode();
    const { port } = await listenLocally((socket) => socket.pipe(socket));
    const { client } = await socks5Connect(node.gateway, node.control.sell(), '127.0.0.1', port);
    const closed = node.gateway.close({ drainMs: 30_000 });
    await until(() => node.connection.endedAtBytes === 0);
    const next = createSocket('udp4');
    next.bind(node.dnsPort, '127.0.0.1');
    await once(next, 'listening');
    next.close();
    client.socket.end('the end');
    expect((await client.rest()).bytes.toString()).toBe('the end');
    expect(await closed).toBe(true);
  });

  it('does not exist for a connection without one', async () => {
    const node = await startDnsNode();
    await logIn(node, node.control.sell({ dnsPort: null }));
    expect(await untilGauge(node.gateway, 'gateway_dns_ports', 0)).toBe(0);
  });

  it.each([
    ['within the range of the settings', 0],
    ['that the control plane assigned outside of it', 1],
  ])('is no destination of tunnels and datagrams, under any address of the node: one %s', async (_, offset) => {
    const dnsPort = await freeDnsPort();
    const names = await startNameServer({ 'node.test': ['127.0.0.1'] });
    onTestFinished(() => void names.stop());
    const dnsPorts = { first: dnsPort + offset, last: dnsPort + offset };
    const node = await startNode({ nameServers: [names.address], dnsPorts });
    const connection = node.control.sell({ dnsPort });
    await logIn(node, connection);
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const addresses = own.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
    const hosts = [...addresses, '127.0.0.77', '0.0.0.0', 'localhost', 'node.test'];
    for (const host of hosts) {
      expect([host, (await socks5Connect(node.gateway, connection, host, dnsPort)).reply]).toEqual([host, 2]);
    }
    const association = await associate(node.gateway, connection);
    for (const host of hosts) association.send(host, dnsPort, question('loop.test'));
    await expect.poll(() => dropped(node, 'destination-prohibited')).toBe(hosts.length);
    expect(await counted(node, 'gateway_dns_dropped_total', {})).toBe(0);
    association.close();
  });

  it('is tried again while another process uses it', async () => {
    const node = await startDnsNode(answerAll, { limits: { dnsPortsCheckMs: 20 } });
    const other = createSocket('udp4');
    other.bind(node.dnsPort, '127.0.0.1');
    await once(other, 'listening');
    await socks5Connect(node.gateway, node.connection, '127.0.0.1', await freePort());
    await untilGauge(node.gateway, 'gateway_dns_ports_failed', 1);
    other.close();
    await untilGauge(node.gateway, 'gateway_dns_ports', 1);
    expect(read(await (await openDnsClient(node.dnsPort)).ask(question('one.test')))).toMatchObject({ answers: 1 });
  });
});

describe('a question', () => {
  it('leaves from the address of the exit, with another id, spelling and port', async () => {
    const resolver = await openResolver();
    const harness = await startNode({ nameServers: [resolver.address] });
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
    expect(new Set(asked.map(({ message }) => readName(message))).size).toBe(40);
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
    const node = await startReadyNode();
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
    const node = await startReadyNode();
    const client = await openDnsClient(node.dnsPort);
    await client.ask(question('known.test'));
    const before = await counted(node, 'gateway_bytes_total', { protocol: 'dns' });
    client.send(Buffer.from(sent, 'hex'));
    await expect.poll(() => counted(node, 'gateway_dns_dropped_total', { transport: 'udp' })).toBe(1);
    expect(client.received).toHaveLength(1);
    expect(await counted(node, 'gateway_bytes_total', { protocol: 'dns' })).toBe(before);
  });

  it('of type ANY, and an answer with an error, are passed on', async () => {
    const node = await startReadyNode(({ message, respond }) => respond(answerTo(message, [], 0x8183)));
    const client = await openDnsClient(node.dnsPort);
    const answer = await client.ask(question('missing.test', { type: TYPE.ANY }));
    expect(read(answer)).toMatchObject({ code: 3, type: TYPE.ANY, answers: 0 });
  });

  it('whose answer has a private address gets none of its records', async () => {
    const node = await startDnsNode(
      ({ message, respond }) => respond(answerTo(message, [address('9.9.9.9'), address('192.168.1.1')])),
      { allowPrivate: false },
    );
    const client = await openDnsClient(node.dnsPort);
    // A refused destination is an authenticated request, too.
    const { reply } = await socks5Connect(node.gateway, node.connection, '127.0.0.1', 80);
    expect(reply).toBe(2);
    await untilGauge(node.gateway, 'gateway_dns_ports', 1);
    expect(read(await client.ask(question('rebinding.test')))).toMatchObject({ code: 0, answers: 0 });
    expect(await counted(node, 'gateway_dns_queries_total', { outcome: 'filtered' })).toBe(1);
  });

  it('beyond the rate of its client is dropped', async () => {
    const node = await startReadyNode(answerAll, {
      limits: { dnsQuestionsPerSecondPerClient: 0.001, dnsQuestionsBurstPerClient: 3 },
    });
    const client = await openDnsClient(node.dnsPort);
    for (let id = 1; id <= 3; id += 1) await client.ask(question('one.test', { id }));
    client.send(question('one.test', { id: 4 }));
    await untilDropped(node, 'rate-limit');
    expect(client.received).toHaveLength(3);
  });

  it('beyond the limit in flight is dropped', async () => {
    const node = await startReadyNode(() => {}, { limits: { dnsQuestionsInFlight: 2 } });
    const client = await openDnsClient(node.dnsPort);
    for (let id = 1; id <= 5; id += 1) client.send(question('held.test', { id }));
    await untilDropped(node, 'in-flight-limit', 3);
    // Their way to the name server takes a moment.
    await until(() => node.resolver.asked.length >= 2);
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
    const node = await startReadyNode(({ message, respond, name }) => {
      const records = [text(Number(name.split('.')[0]))];
      respond(answerTo(message, records));
    });
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
    const tcp = openTcp(node.dnsPort);
    tcp.socket.write(framed(tooLarge));
    const whole = await takeMessage(tcp);
    expect(whole.length).toBeGreaterThan(max);
    expect(read(whole)).toMatchObject({ isTruncated: false, answers: 1 });
  });

  it('that is truncated upstream reaches a UDP client truncated, and a TCP client complete', async () => {
    const node = await startReadyNode(({ message, respond, transport }) =>
      respond(transport === 'tcp' ? answerTo(message, [text(5_000)]) : answerTo(message, [], 0x8380)),
    );
    const client = await openDnsClient(node.dnsPort);
    expect(read(await client.ask(question('large.test', { type: TYPE.TXT })))).toMatchObject({ isTruncated: true });
    const tcp = openTcp(node.dnsPort);
    tcp.socket.write(framed(question('large.test', { type: TYPE.TXT })));
    expect((await takeMessage(tcp)).length).toBeGreaterThan(5_000);
    expect(node.resolver.asked.map(({ transport }) => transport)).toEqual(['udp', 'udp', 'tcp']);
  });

  it('that is forged, repeated or late is dropped', async () => {
    const forged = address('6.6.6.6');
    const node = await startReadyNode(({ message, respond }) => {
      const wrongId = Buffer.from(message);
      wrongId.writeUInt16BE(message.readUInt16BE(0) ^ 0xffff, 0);
      respond(answerTo(wrongId, [forged]));
      respond(Buffer.from([1]));
      respond(answerTo(message, [address('192.0.2.7')]));
      respond(answerTo(message, [forged]));
    });
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
    onTestFinished(() => void forger.close());
    const node = await startReadyNode(({ message, fromPort, respond }) => {
      forger.send(answerTo(message, [address('6.6.6.6')]), fromPort, '127.0.0.1', () =>
        respond(answerTo(message, [address('192.0.2.7')])),
      );
    });
    const client = await openDnsClient(node.dnsPort);
    for (let id = 1; id <= 10; id += 1)
      expect(read(await client.ask(question('one.test', { id }))).address).toBe('192.0.2.7');
    expect(client.received).toHaveLength(10);
  });

  it('with another spelling or another question is not trusted; the question is repeated over TCP', async () => {
    const node = await startReadyNode(({ message, respond, transport }) => {
      const records = [address(transport === 'tcp' ? '192.0.2.7' : '6.6.6.6')];
      const other = Buffer.from(message);
      for (let at = 13; at < 17; at += 1) other[at] = other[at]! ^ 0x20;
      respond(answerTo(transport === 'tcp' ? message : other, records));
    });
    const client = await openDnsClient(node.dnsPort);
    expect(read(await client.ask(question('spelling.test'))).address).toBe('192.0.2.7');
    expect(await counted(node, 'gateway_dns_upstream_total', { event: 'mismatch' })).toBe(1);
  });
});

describe('name servers', () => {
  it('are never asked from another address if that of the exit is missing', async () => {
    const node = await startDnsNode();
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
  it('drops whole questions and answers: none is truncated, none is free', async () => {
    const asked = question('one.test');
    const answerBytes = answerTo(asked, [address('192.0.2.7')]).length;
    const node = await startDnsNode();
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
    const node = await startDnsNode();
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

  it('gets grants for a connection with DNS traffic only', async () => {
    const node = await startDnsNode(({ message, respond }) => respond(answerTo(message, [text(1_000)])), {
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

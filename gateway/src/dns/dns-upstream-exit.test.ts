/** @module-tag thorough */
import { describe, expect, it, onTestFinished } from 'vitest';
import { randomUUID } from 'node:crypto';
import { freeDnsPort } from '../../test/dns-client.ts';
import { answerAll, openDnsClient, openResolver, openTcp, takeMessage } from '../../test/dns-harness.ts';
import { framed, question, read } from '../../test/dns-messages.ts';
import { socks5Connect, untilGauge } from '../../test/gateway-harness.ts';
import { listenLocally, until } from '../../test/sockets.ts';
import { startNode } from '../../test/udp-harness.ts';
import { startHttpUpstream, startSocks5Upstream } from '../../test/upstream.ts';
import type { Asked } from '../../test/dns-resolver.ts';
import type { GatewaySettings } from '../gateway.ts';

const SERVER_FAILURE = 2;
const credentials = { username: 'operator', password: 'secret' };
const servers = { socks5: startSocks5Upstream, http: startHttpUpstream } as const;

/** Starts a node with a connection that has a DNS port and leaves through another proxy, and logs in. */
async function startThrough(
  kind: keyof typeof servers,
  onQuestion: (asked: Asked) => void = answerAll,
  settings: Partial<GatewaySettings> = {},
) {
  const resolver = await openResolver(onQuestion);
  const upstream = await servers[kind]({ credentials });
  onTestFinished(upstream.stop);
  const harness = await startNode({ nameServers: [resolver.address], ...settings });
  const dnsPort = await freeDnsPort();
  const exit = { kind, id: randomUUID(), host: '127.0.0.1', port: upstream.port, credentials };
  const connection = harness.control.sell({ dnsPort, exit });
  const { server, port } = await listenLocally((socket) => socket.resume());
  onTestFinished(() => void server.close());
  const { client, reply } = await socks5Connect(harness.gateway, connection, '127.0.0.1', port);
  expect(reply).toBe(0);
  client.socket.destroy();
  await untilGauge(harness.gateway, 'gateway_dns_ports', 1);
  return { ...harness, resolver, upstream, connection, dnsPort };
}

describe.each(['socks5', 'http'] as const)('a DNS port through another proxy (%s)', (kind) => {
  it('asks the name server over TCP through the proxy, and counts the messages exactly', async () => {
    const { resolver, upstream, connection, dnsPort, gateway } = await startThrough(kind);
    const asked = question('name.test', { id: 7 });
    const answer = await (await openDnsClient(dnsPort)).ask(asked);
    expect(read(answer)).toMatchObject({ id: 7, name: 'name.test', address: '192.0.2.7' });
    const tcp = openTcp(dnsPort);
    tcp.socket.write(framed(question('other.test', { id: 8 })));
    const other = await takeMessage(tcp);
    expect(read(other)).toMatchObject({ id: 8, name: 'other.test', address: '192.0.2.7' });
    expect(resolver.asked.map(({ transport }) => transport)).toEqual(['tcp', 'tcp']);
    // One connection for both questions.
    expect(upstream.seen.targets.slice(1)).toEqual([resolver.address]);
    const bytes = asked.length + answer.length + question('other.test').length + other.length;
    await until(() => connection.usedBytes === bytes);
    await untilGauge(gateway, 'gateway_dns_upstream_sockets', 1);
  });

  it('keeps no connection to the name server without questions', async () => {
    const limits = { dnsUpstreamTcpIdleMs: 50 };
    const { dnsPort, gateway } = await startThrough(kind, answerAll, { limits });
    await (await openDnsClient(dnsPort)).ask(question('name.test'));
    expect(await untilGauge(gateway, 'gateway_dns_upstream_sockets', 0)).toBe(0);
  });

  it('answers with a failure when the proxy is unreachable, and when the name server is silent', async () => {
    const limits = { resolverAttemptMs: 100, dnsAnswerMs: 200 };
    const { upstream, dnsPort, gateway, resolver } = await startThrough(kind, () => {}, { limits });
    const client = await openDnsClient(dnsPort);
    expect(read(await client.ask(question('silent.test')))).toMatchObject({ code: SERVER_FAILURE });
    expect(resolver.asked.length).toBeGreaterThan(0);
    upstream.stop();
    expect(read(await client.ask(question('away.test')))).toMatchObject({ code: SERVER_FAILURE });
    await untilGauge(gateway, 'gateway_dns_upstream_sockets', 0);
  });

  it('fails rather than opening more sockets than the node may have', async () => {
    const { dnsPort, resolver } = await startThrough(kind, answerAll, { limits: { dnsUpstreamSockets: 0 } });
    const client = await openDnsClient(dnsPort);
    expect(read(await client.ask(question('bounded.test')))).toMatchObject({ code: SERVER_FAILURE });
    expect(resolver.asked).toEqual([]);
  });
});

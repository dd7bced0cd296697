/** Helpers for tests of DNS ports; everything is closed at the end of the test. */
import { connect } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { GatewaySettings } from '../src/gateway.ts';
import type { FakeConnection } from './control-plane.ts';
import { DnsClient, freeDnsPort } from './dns-client.ts';
import { address, answerTo } from './dns-messages.ts';
import { type Asked, startResolver, type TestResolver } from './dns-resolver.ts';
import { type Harness, readMetric, socks5Connect, untilGauge } from './gateway-harness.ts';
import { freePort } from '../../tools/ports.mjs';
import { Reader } from './sockets.ts';
import { startNode } from './udp-harness.ts';

export interface DnsNode extends Harness {
  readonly resolver: TestResolver;
  readonly connection: FakeConnection;
  readonly dnsPort: number;
}

/** Answers every question with 192.0.2.7. */
export const answerAll = ({ message, respond }: Asked) => respond(answerTo(message, [address('192.0.2.7')]));

export async function openResolver(onQuestion: (asked: Asked) => void = answerAll): Promise<TestResolver> {
  const resolver = await startResolver(onQuestion);
  onTestFinished(() => resolver.stop());
  return resolver;
}

/** Starts a node with a connection that has a DNS port. */
export async function startDnsNode(
  onQuestion: (asked: Asked) => void = answerAll,
  settings: Partial<GatewaySettings> = {},
): Promise<DnsNode> {
  const resolver = await openResolver(onQuestion);
  const harness = await startNode({ nameServers: [resolver.address], ...settings });
  const dnsPort = await freeDnsPort();
  const connection = harness.control.sell({ dnsPort });
  return { ...harness, resolver, connection, dnsPort };
}

/** Authenticates on the public port; then the address may use the DNS port. Nothing listens on the destination. */
export async function logIn({ gateway }: Pick<Harness, 'gateway'>, connection: FakeConnection): Promise<void> {
  const { client, reply } = await socks5Connect(gateway, connection, '127.0.0.1', await freePort());
  expect(reply).toBe(5);
  client.socket.destroy();
  if (connection.dnsPort) await untilGauge(gateway, 'gateway_dns_ports', 1);
}

/** Starts a node with a connection whose DNS port the tests' address may use. */
export async function startReadyNode(...settings: Parameters<typeof startDnsNode>): Promise<DnsNode> {
  const node = await startDnsNode(...settings);
  await logIn(node, node.connection);
  return node;
}

export async function openDnsClient(port: number, from?: string): Promise<DnsClient> {
  const client = await DnsClient.open(port, from);
  onTestFinished(() => client.close());
  return client;
}

/** Does not wait for the connection, because the port may reset it at once. */
export function openTcp(port: number, localAddress = '127.0.0.1'): Reader {
  const reader = new Reader(connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true, noDelay: true }));
  onTestFinished(() => void reader.socket.destroy());
  return reader;
}

export async function takeMessage(reader: Reader): Promise<Buffer> {
  return reader.take((await reader.take(2)).readUInt16BE(0));
}

/** The sum of a metric's values that have these labels. */
export const counted = ({ gateway }: Harness, metric: string, labels: Record<string, string>): Promise<number> =>
  readMetric(gateway, metric, labels);

export async function untilDropped(harness: Harness, reason: string, count = 1): Promise<void> {
  const read = () => counted(harness, 'gateway_dns_dropped_total', { reason });
  await expect.poll(read).toBe(count);
}

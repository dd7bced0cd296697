/** Helpers for tests of UDP associations; everything is closed at the end of the test. */
import { onTestFinished } from 'vitest';
import type { GatewaySettings } from '../src/gateway.ts';
import type { Drop } from '../src/metrics.ts';
import { type Harness, startHarness } from './gateway-harness.ts';
import { startNameServer } from './name-server.ts';
import { openEcho, openUdp, type TestAssociation, type UdpPeer } from './udp.ts';

export async function startNode(settings?: Partial<GatewaySettings>): Promise<Harness> {
  const harness = await startHarness(settings);
  onTestFinished(() => harness.stop());
  return harness;
}

export async function openEchoing(address?: string): Promise<UdpPeer> {
  return closing(await openEcho(address));
}

export async function openPeer(address?: string): Promise<UdpPeer> {
  return closing(await openUdp(address));
}

export async function resolving(table: Parameters<typeof startNameServer>[0]) {
  const names = await startNameServer(table);
  onTestFinished(() => void names.stop());
  return names;
}

/** How many datagrams were dropped for a reason. */
export const dropped = ({ gateway }: Harness, reason: Drop) => gateway.metrics.udp.dropped[reason];

/** Waits until the association has handled everything that was sent to it before. */
export async function settle(association: TestAssociation, echo: UdpPeer): Promise<void> {
  association.send('127.0.0.1', echo.port, 'settled');
  while (!(await association.udp.next()).includes('settled'));
}

function closing(peer: UdpPeer): UdpPeer {
  onTestFinished(() => void peer.socket.close());
  return peer;
}

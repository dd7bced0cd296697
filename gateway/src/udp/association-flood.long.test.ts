/** @module-tag long */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ControlPlane } from '../../test/control-plane.ts';
import { startNode } from '../../test/fuzz/node.ts';
import type { Measurement } from '../../test/fuzz/node-process.ts';
import { openEchoing } from '../../test/udp-harness.ts';
import { associate, type TestAssociation } from '../../test/udp.ts';

/**
 * `FLOOD_ASSOCIATIONS=10000` opens more of them; the node needs four descriptors for each, and this process two, so
 * `ulimit -n` must be at least five times as much.
 */
const ASSOCIATIONS = Number(process.env['FLOOD_ASSOCIATIONS'] ?? 300);
const WARM_UP_ASSOCIATIONS = 100;
const PER_CONNECTION = 50;
const OPENING_AT_ONCE = 50;
const PER_BURST = 20;
const HONEST_ROUNDS = 30;
const DATAGRAMS_PER_SECOND = 100;
const HEAP_GROWTH_MAX_BYTES = 12_000_000;
const DESCRIPTORS_GROWTH_MAX = 4;
const TIMEOUT_MS = 600_000;
const MANY = 1e6;
/** Below the ports that systems choose: the node refuses its own ports as destinations. */
const UDP_PORTS = { first: 10_000, last: 32_000 };
const limits = {
  tunnelsPerConnection: MANY,
  tunnelsPerNode: MANY,
  newTunnelsPerSecond: MANY,
  newTunnelsBurst: MANY,
  associationsPerNode: MANY,
  clientSocketsPerConnection: MANY,
  clientSocketsPerNetwork: MANY,
  clientSocketsPerNode: MANY,
  datagramsPerSecond: DATAGRAMS_PER_SECOND,
};

async function startFloodable() {
  const faults: string[] = [];
  const control = await new ControlPlane().start();
  const settings = { controlUrl: control.url, token: control.token, limits, descriptors: 10 * MANY };
  const node = await startNode({ ...settings, udpPorts: UDP_PORTS }, (what) => faults.push(what));
  onTestFinished(async () => {
    await node.stop();
    control.stop();
  });
  return { node, control, faults };
}

type Node = Awaited<ReturnType<typeof startFloodable>>['node'];

async function openAssociations(node: Node, control: ControlPlane, count: number): Promise<TestAssociation[]> {
  const connections = Array.from({ length: Math.ceil(count / PER_CONNECTION) }, () => control.sell());
  const opened: TestAssociation[] = [];
  while (opened.length < count) {
    const next = Array.from({ length: Math.min(OPENING_AT_ONCE, count - opened.length) }, (_, index) =>
      associate(node, connections[Math.floor((opened.length + index) / PER_CONNECTION)]!),
    );
    opened.push(...(await Promise.all(next)));
  }
  return opened;
}

/** Waits until the node has closed everything except the flows that stay open. */
async function untilAssociations(node: Node, count: number): Promise<Measurement> {
  for (;;) {
    const measurement = await node.measure();
    const { values } = measurement;
    const isSettled = ['gateway_udp_associations', 'gateway_tunnels', 'gateway_client_sockets'].every(
      (name) => values[name] === count,
    );
    if (isSettled) return measurement;
    await new Promise((fulfil) => setTimeout(fulfil, 20));
  }
}

/** Round trips of a customer, in milliseconds; a datagram that the system loses is sent again. */
async function roundTrips(association: TestAssociation, port: number, rounds: number): Promise<number[]> {
  const durations: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    const text = `round ${round}`;
    const sending = setInterval(() => association.send('127.0.0.1', port, text), 500);
    association.send('127.0.0.1', port, text);
    while (!(await association.udp.next()).includes(text));
    clearInterval(sending);
    durations.push(performance.now() - startedAt);
  }
  return durations.toSorted((one, other) => one - other);
}

describe('a flood of associations', () => {
  it(
    `${ASSOCIATIONS} of them: datagrams are dropped and counted, others are served, memory and sockets come back`,
    { timeout: TIMEOUT_MS },
    async () => {
      const { node, control, faults } = await startFloodable();
      const echo = await openEchoing();
      const honest = await associate(node, control.sell());
      const alone = await roundTrips(honest, echo.port, HONEST_ROUNDS);
      for (const association of await openAssociations(node, control, WARM_UP_ASSOCIATIONS)) association.close();
      const before = await untilAssociations(node, 1);

      const startedAt = performance.now();
      const flooding = await openAssociations(node, control, ASSOCIATIONS);
      expect(flooding.map(({ reply }) => reply)).toEqual(flooding.map(() => 0));
      let at = 0;
      const flood = setInterval(() => {
        const next = flooding[at++ % ASSOCIATIONS]!;
        for (let sent = 0; sent < PER_BURST; sent += 1) next.send('127.0.0.1', echo.port, 'flood');
      });
      const flooded = await roundTrips(honest, echo.port, HONEST_ROUNDS);
      const dropped = async () => (await node.measure()).values['gateway_udp_dropped_total rate-limit'] ?? 0;
      await expect.poll(dropped, { timeout: TIMEOUT_MS }).toBeGreaterThan(1_000);
      clearInterval(flood);
      const during = await untilAssociations(node, ASSOCIATIONS + 1);
      const seconds = (performance.now() - startedAt) / 1_000;
      for (const association of flooding) association.close();
      const after = await untilAssociations(node, 1);

      // Each connection passes a burst of one second, and its rate, in both directions.
      const connections = Math.ceil(ASSOCIATIONS / PER_CONNECTION) + 1;
      const relayed = after.values['gateway_udp_datagrams_total toExit'] ?? 0;
      expect(relayed).toBeLessThanOrEqual(2 * HONEST_ROUNDS + connections * DATAGRAMS_PER_SECOND * (1 + seconds));
      expect(faults).toEqual([]);
      expect(after.heapBytes - before.heapBytes).toBeLessThan(HEAP_GROWTH_MAX_BYTES);
      expect(after.descriptors - before.descriptors).toBeLessThanOrEqual(DESCRIPTORS_GROWTH_MAX);
      const states = [before, during, after];
      const megabytes = states.map(({ heapBytes }) => (heapBytes / 1e6).toFixed(1)).join(', ');
      const descriptors = states.map((state) => state.descriptors).join(', ');
      const middle = [alone, flooded].map((list) => list[Math.floor(list.length / 2)]!.toFixed(1)).join(' and ');
      console.log(`before, during, after: heap ${megabytes} MB, descriptors ${descriptors}; round trip ${middle} ms`);
      honest.close();
    },
  );
});

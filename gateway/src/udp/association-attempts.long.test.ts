/** @module-tag long */
import { describe, expect, it, onTestFinished } from 'vitest';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Attempts, Outcomes } from '../../test/association-attempts.ts';
import { ControlPlane } from '../../test/control-plane.ts';
import { startNode } from '../../test/fuzz/node.ts';
import type { Measurement } from '../../test/fuzz/node-process.ts';
import { socks5Connect } from '../../test/gateway-harness.ts';
import { listenLocally } from '../../test/sockets.ts';
import { openEchoing } from '../../test/udp-harness.ts';
import { associate, type TestAssociation } from '../../test/udp.ts';
import { fitToDescriptors } from '../descriptors.ts';
import { defaultLimits } from '../limits.ts';

/** `ASSOCIATION_ATTEMPTS=10000` makes 10,000 attempts of each kind. */
const ATTEMPTS = Number(process.env['ASSOCIATION_ATTEMPTS'] ?? 500);
/** Fewer than needed for all attempts, so that the node must refuse some before its descriptors are exhausted. */
const DESCRIPTORS = Math.max(1_000, 2 * ATTEMPTS);
const AT_ONCE = 40;
const ATTACKER = '127.0.1.1';
const PER_CONNECTION = 50;
/** Lost datagrams are sent again; the relay must pass one of this many. */
const SENDINGS_MAX = 5;
const RESEND_MS = 1_000;
/** Keeps the other customer below their own rate of new tunnels. */
const PAUSE_MS = 50;
const HEAP_GROWTH_MAX_BYTES = 12_000_000;
/** Includes connections to the control plane. */
const DESCRIPTORS_GROWTH_MAX = 8;
const TIMEOUT_MS = 300_000;
const REPLY = { granted: '050201000500', refused: '050201000501', noMethod: '05ff', loginRefused: '05020101' };
const GAUGES = ['gateway_udp_associations', 'gateway_tunnels', 'gateway_client_sockets', 'gateway_half_open'];

async function startTarget() {
  const faults: string[] = [];
  const control = await new ControlPlane().start();
  const udpPorts = { first: 10_000, last: 32_000 };
  const settings = { controlUrl: control.url, token: control.token, descriptors: DESCRIPTORS, udpPorts };
  const node = await startNode(settings, (what) => faults.push(what));
  onTestFinished(async () => {
    await node.stop();
    control.stop();
  });
  const echo = await openEchoing();
  const { server, port } = await listenLocally((socket) => socket.pipe(socket));
  onTestFinished(() => void server.close());
  const connection = control.sell();
  const association = await associate(node, connection);
  return { node, control, faults, honest: { connection, association, echoPort: echo.port, originPort: port } };
}

type AttackTarget = Awaited<ReturnType<typeof startTarget>>;

async function startAttack({ node }: AttackTarget, credentials: Attempts['credentials']) {
  const program = fileURLToPath(new URL('../../test/association-attempts.ts', import.meta.url));
  const child = fork(program, { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  const job: Attempts = { port: node.port, localAddress: ATTACKER, count: ATTEMPTS, atOnce: AT_ONCE, credentials };
  child.send(job);
  const finished = once(child, 'message').then(([outcomes]) => outcomes as Outcomes);
  const stop = async () => {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  };
  return { finished, stop };
}

/** A datagram and a new tunnel of another customer. */
async function useAsCustomer({ node, honest }: AttackTarget): Promise<void> {
  await sendAndReceive(honest.association, honest.echoPort);
  const { client, reply } = await socks5Connect(node, honest.connection, '127.0.0.1', honest.originPort);
  expect(reply).toBe(0);
  client.socket.write('echo');
  expect((await client.take(4)).toString()).toBe('echo');
  client.socket.destroy();
}

async function sendAndReceive(association: TestAssociation, port: number): Promise<void> {
  let sendings = 0;
  const send = () => {
    sendings += 1;
    association.send('127.0.0.1', port, 'hello');
  };
  send();
  const timer = setInterval(send, RESEND_MS);
  await association.udp.next();
  clearInterval(timer);
  expect(sendings).toBeLessThanOrEqual(SENDINGS_MAX);
}

/** Waits until nothing but the association of the other customer is open. */
async function measureAtRest({ node }: AttackTarget): Promise<Measurement> {
  for (;;) {
    const measurement = await node.measure();
    const [halfOpen, open] = [measurement.values['gateway_half_open'], GAUGES.slice(0, -1)];
    if (halfOpen === 0 && open.every((name) => measurement.values[name] === 1)) return measurement;
    await pause(20);
  }
}

function refusals({ values }: Measurement): number {
  const counts = Object.entries(values).filter(([name]) => name.startsWith('gateway_refusals_total '));
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

/** Attacks while another customer works. @returns the outcomes, and the refusals that were counted */
async function attack(target: AttackTarget, credentials: Attempts['credentials']) {
  const { node, faults } = target;
  await useAsCustomer(target);
  const before = await measureAtRest(target);
  const { finished, stop } = await startAttack(target, credentials);
  const state = { isFinished: false };
  void finished.then(() => (state.isFinished = true));
  do {
    await useAsCustomer(target);
    await pause(PAUSE_MS);
  } while (!state.isFinished);
  const outcomes = await finished;
  const during = await node.measure();
  await stop();
  const after = await measureAtRest(target);
  expect(faults).toEqual([]);
  expect(after.values['gateway_descriptors_exhausted_total'] ?? 0).toBe(0);
  expect(after.heapBytes - before.heapBytes).toBeLessThan(HEAP_GROWTH_MAX_BYTES);
  expect(after.descriptors - before.descriptors).toBeLessThanOrEqual(DESCRIPTORS_GROWTH_MAX);
  const states = [before, during, after];
  const megabytes = states.map(({ heapBytes }) => (heapBytes / 1e6).toFixed(1)).join(', ');
  const descriptors = states.map((state) => state.descriptors).join(', ');
  console.log(`before, during, after: heap ${megabytes} MB, descriptors ${descriptors}; ${JSON.stringify(outcomes)}`);
  return { outcomes, counted: refusals(after) - refusals(before), during };
}

const sum = (outcomes: Outcomes) => Object.values(outcomes).reduce((total, count) => total + count, 0);

describe(`${ATTEMPTS} attempts to open UDP associations`, () => {
  const limits = fitToDescriptors(defaultLimits, DESCRIPTORS);

  it(
    'of one connection get the associations of one connection',
    async () => {
      const target = await startTarget();
      const { outcomes, counted } = await attack(target, [target.control.sell()]);
      const granted = limits.associationsPerConnection;
      expect(outcomes).toEqual({ [REPLY.granted]: granted, [REPLY.refused]: ATTEMPTS - granted });
      expect(counted).toBe(ATTEMPTS - granted);
    },
    TIMEOUT_MS,
  );

  it(
    'of one customer with many connections leave associations and descriptors to others',
    async () => {
      const target = await startTarget();
      const connections = Array.from({ length: ATTEMPTS / PER_CONNECTION }, () => target.control.sell());
      const { outcomes, counted, during } = await attack(target, connections);
      const granted = outcomes[REPLY.granted] ?? 0;
      expect(outcomes).toEqual({ [REPLY.granted]: granted, [REPLY.refused]: ATTEMPTS - granted });
      expect(counted).toBe(ATTEMPTS - granted);
      expect(granted).toBeLessThan(limits.associationsPerNode);
      expect(granted).toBeGreaterThan(limits.associationsPerNode / 2);
      expect(during.descriptors).toBeLessThan(DESCRIPTORS);
    },
    TIMEOUT_MS,
  );

  it(
    'of a stranger get none, and are counted',
    async () => {
      const target = await startTarget();
      const withoutMethod = await attack(target, []);
      expect(withoutMethod.outcomes).toEqual({ [REPLY.noMethod]: ATTEMPTS });
      expect(withoutMethod.counted).toBe(ATTEMPTS);
      const { outcomes, counted } = await attack(target, [{ username: 'nobody', password: 'guessed' }]);
      // After some failures of its network, a client with unknown credentials is closed before it learns anything.
      expect(outcomes[REPLY.loginRefused]).toBeGreaterThanOrEqual(defaultLimits.loginFailuresPerMinute);
      expect(outcomes[REPLY.granted]).toBeUndefined();
      expect([sum(outcomes), counted]).toEqual([ATTEMPTS, ATTEMPTS]);
    },
    TIMEOUT_MS,
  );
});

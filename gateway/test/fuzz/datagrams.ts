/**
 * A seeded fuzz run of UDP associations: valid, mutated and random datagrams, from the client and from other addresses. The gateway
 * runs in a separate process, so that its heap and descriptors can be measured.
 */
import { createRandom, type Random } from '../../../tools/random.ts';
import { ControlPlane, type FakeConnection } from '../control-plane.ts';
import { startNameServer } from '../name-server.ts';
import { associate, openUdp, socks5Datagram, type TestAssociation, type UdpPeer } from '../udp.ts';
import { datagramInput, ORIGIN_ADDRESS, ORIGIN_NAME, type Expectation, toExpectation } from './datagram-inputs.ts';
import type { Measurement } from './node-process.ts';
import { startNode } from './node.ts';
import { chance } from './plan.ts';
import { LIMITS } from './settings.ts';

/** Datagrams between two checks. They must fit into the default receive buffer of a socket. */
const BURST = 40;
const BURSTS_PER_ASSOCIATION = 25;
const WARM_UP_BURSTS = 50;
const BURST_MS = 20_000;
const RELEASE_MS = 10_000;
const HEAP_GROWTH_MAX_BYTES = 12_000_000;
const DESCRIPTORS_GROWTH_MAX = 4;
const SENTINEL = 'sentinel';
const UNLIMITED = { newTunnelsPerSecond: 1e9, newTunnelsBurst: 1e9, datagramsPerSecond: 1e9 };

export interface DatagramReport {
  readonly faults: readonly string[];
  readonly datagrams: number;
  /** Payloads that the origin got. */
  readonly relayed: number;
  readonly seconds: number;
  readonly before: Measurement;
  readonly after: Measurement;
}

export async function fuzzDatagrams({ seed, inputs }: { seed: number; inputs: number }): Promise<DatagramReport> {
  const faults: string[] = [];
  const names = await startNameServer({ [ORIGIN_NAME]: [ORIGIN_ADDRESS] });
  const control = await new ControlPlane().start();
  const settings = { controlUrl: control.url, token: control.token, nameServers: [names.address] };
  const node = await startNode({ ...settings, limits: { ...LIMITS, ...UNLIMITED } }, (what) => faults.push(what));
  // With this source address the system sends nothing to other machines, regardless of the destination.
  const connection = control.sell({ exit: { kind: 'local-address', address: '127.0.0.1' } });
  const origin = await openUdp(ORIGIN_ADDRESS);
  origin.socket.on('message', (payload, { port, address }) => origin.socket.send(payload, port, address));
  const stranger = await openUdp('127.0.0.2');
  const run = new Run({ random: createRandom(seed), connection, port: node.port, origin, stranger, faults });
  try {
    const startedAt = performance.now();
    await run.bursts(WARM_UP_BURSTS);
    const before = await released(node, faults);
    await run.bursts(Math.ceil(inputs / BURST));
    const after = await released(node, faults);
    checkGrowth(before, after, faults);
    checkBytes(after, connection, run, faults);
    const seconds = (performance.now() - startedAt) / 1000;
    return { faults, datagrams: run.sent, relayed: run.relayed, seconds, before, after };
  } finally {
    await node.stop();
    control.stop();
    names.stop();
    for (const { socket } of [origin, stranger]) socket.close();
  }
}

interface RunParts {
  readonly random: Random;
  readonly connection: FakeConnection;
  readonly port: number;
  readonly origin: UdpPeer;
  readonly stranger: UdpPeer;
  readonly faults: string[];
}

class Run {
  sent = 0;
  relayed = 0;
  /** Payload bytes that the client sent to valid destinations, that the origin got, and that the client got. */
  readonly bytes = { valid: 0, toOrigin: 0, toClient: 0 };

  /** Payloads that may arrive after their burst, because a name is resolved first: of this association and of the previous one. */
  #late: [Set<string>, Set<string>] = [new Set(), new Set()];

  constructor(private readonly parts: RunParts) {}

  async bursts(count: number): Promise<void> {
    for (let done = 0; done < count; done += BURSTS_PER_ASSOCIATION) {
      const { random, connection, port } = this.parts;
      const association = await associate({ port }, connection);
      this.#late = [new Set(), this.#late[0]];
      const last = Math.min(count, done + BURSTS_PER_ASSOCIATION);
      // Opens the route to the origin, so that no later datagram waits for it.
      await this.#burst(association, 0);
      for (let burst = done; burst < last; burst += 1) await this.#burst(association, BURST);
      association.control.socket[random.pick(['end', 'destroy', 'resetAndDestroy'] as const)]();
      association.close();
    }
  }

  /** Datagrams of one sender are relayed in their order, so the sentinel arrives after all others. */
  async #burst(association: TestAssociation, datagrams: number): Promise<void> {
    const { random, origin, stranger, faults } = this.parts;
    const expectations: Expectation[] = [];
    for (let count = 0; count < datagrams; count += 1) {
      this.sent += 1;
      const datagram = datagramInput(random, this.sent, origin.port);
      const isStranger = chance(random, 0.03);
      association.sendRaw(datagram, isStranger ? stranger : association.udp);
      if (!isStranger) expectations.push(toExpectation(datagram, origin.port));
    }
    const sentinel = `${SENTINEL} ${this.sent}`;
    association.send(ORIGIN_ADDRESS, origin.port, sentinel);
    const deadline = performance.now() + BURST_MS;
    while (!association.udp.waiting.some((reply) => reply.includes(sentinel))) {
      if (performance.now() > deadline) return void faults.push(`no reply after datagram ${this.sent}`);
      await new Promise(setImmediate);
    }
    this.#check([...expectations, { kind: 'must', payload: Buffer.from(sentinel) }], association);
    if (stranger.received > 0) faults.push('a stranger got a datagram');
  }

  #check(expectations: readonly Expectation[], { udp }: TestAssociation): void {
    const { origin, faults } = this.parts;
    const got = origin.waiting.splice(0);
    const replies = udp.waiting.splice(0);
    const payloads = new Set(got.map((payload) => payload.toString('hex')));
    const allowed = new Set<string>();
    const [late, older] = this.#late;
    for (const { kind, payload } of expectations) {
      const hex = payload.toString('hex');
      if (kind !== 'never') this.bytes.valid += payload.length;
      if (kind === 'must') allowed.add(hex);
      if (kind === 'may') late.add(hex);
      if (kind === 'must' && !payloads.has(hex)) faults.push(`the origin did not get ${hex.slice(0, 40)}`);
    }
    for (const payload of got) {
      const hex = payload.toString('hex');
      if (!allowed.has(hex) && !late.has(hex) && !older.has(hex)) faults.push(`the origin got ${hex.slice(0, 40)}`);
      this.bytes.toOrigin += payload.length;
    }
    this.relayed += got.length;
    const header = socks5Datagram(ORIGIN_ADDRESS, origin.port, '');
    for (const reply of replies) {
      if (!reply.subarray(0, header.length).equals(header)) faults.push('a reply has a wrong header');
      this.bytes.toClient += reply.length - header.length;
    }
  }
}

type Node = Awaited<ReturnType<typeof startNode>>;

/** Waits until the gateway has closed everything. */
async function released(node: Node, faults: string[]): Promise<Measurement> {
  const deadline = performance.now() + RELEASE_MS;
  for (;;) {
    const measurement = await node.measure();
    const open = ['gateway_udp_associations', 'gateway_tunnels', 'gateway_client_sockets'].filter(
      (name) => measurement.values[name] !== 0,
    );
    if (open.length === 0) return measurement;
    if (performance.now() > deadline) {
      faults.push(`${open.join(', ')} not 0`);
      return measurement;
    }
    await new Promise((fulfil) => setTimeout(fulfil, 20));
  }
}

function checkGrowth(before: Measurement, after: Measurement, faults: string[]): void {
  const growthBytes = after.heapBytes - before.heapBytes;
  if (growthBytes > HEAP_GROWTH_MAX_BYTES) faults.push(`the heap has grown by ${growthBytes} bytes`);
  const descriptors = after.descriptors - before.descriptors;
  if (descriptors > DESCRIPTORS_GROWTH_MAX) faults.push(`${descriptors} more descriptors than before are open`);
}

/** All delivered bytes are counted, and no bytes of a datagram that must be dropped. */
function checkBytes({ values }: Measurement, connection: FakeConnection, { bytes }: Run, faults: string[]): void {
  const toExit = values['gateway_bytes_total toExit socks5-udp'] ?? 0;
  const toClient = values['gateway_bytes_total toClient socks5-udp'] ?? 0;
  const isExact = toExit >= bytes.toOrigin && toExit <= bytes.valid && toClient >= bytes.toClient;
  const text = `${toExit} and ${toClient} bytes were counted`;
  if (!isExact) faults.push(`${text}, expected ${bytes.toOrigin} to ${bytes.valid} and ${bytes.toClient}`);
  if (connection.usedBytes > toExit + toClient) faults.push(`${text}, ${connection.usedBytes} were reported`);
}

/** Plays many inputs against the public port of a real gateway and judges each of them, and what is left behind all. */
import { setTimeout as pause } from 'node:timers/promises';
import { ControlPlane, type FakeConnection } from '../control-plane.ts';
import { startNameServer } from '../name-server.ts';
import { playClient } from './client.ts';
import { planOf } from './generator.ts';
import { isAwaited, judge, judgeOrigins, type Trial } from './judge.ts';
import { startNode } from './node.ts';
import type { Measured } from './node-process.ts';
import { OriginConnection, Origins } from './origins.ts';
import { addressOfName, type Login, type World } from './plan.ts';
import { type Reading, readClient } from './reading.ts';
import { Totals } from './totals.ts';

const LOGINS = 150;
const AT_ONCE = 400;
const POOR_BYTES = 200_000;
const WARM_UP_INPUTS = 2_000;
/** Every bound of the gateway that an input can wait for is shorter. */
const INPUT_TIMEOUT_MS = 60_000;
const DRAIN_MS = 60_000;
const HEAP_GROWTH_MAX_BYTES = 12 * 1_048_576;
/** Kept connections to the control plane and the name server. */
const DESCRIPTORS_GROWTH_MAX = 4;
const FAULTS_MAX = 25;

/** Time limits are short, so that inputs that wait for them end soon; the guess limit is off; no other limit is reached. */
const LIMITS = {
  loginFailuresPerMinute: 0,
  halfOpenPerNetwork: 2_048,
  handshakeMs: 2_500,
  nextRequestMs: 1_000,
  lingerMs: 200,
  flushMs: 2_000,
  dialMs: 5_000,
  tunnelIdleMs: 3_000,
  halfClosedIdleMs: 3_000,
  grantWaitMs: 2_000,
  clientSocketsPerConnection: 10_000,
};

export interface FuzzOrder {
  readonly seed: number;
  readonly inputs: number;
  readonly first?: number;
  /** After each the gateway must be as empty as before. */
  readonly batch: number;
  /** Of origins and gateway: they stand in the inputs, so a replay needs the same. */
  readonly ports?: readonly [origin: number, gateway: number];
  readonly progress?: (line: string) => void;
}

export interface FuzzReport {
  readonly inputs: number;
  readonly seconds: number;
  readonly dialled: number;
  readonly byKind: ReadonlyMap<string, { inputs: number; dialled: number }>;
  readonly before: Measured;
  readonly after: Measured;
  /** The largest heap behind any batch. */
  readonly heapBytesMax: number;
  readonly slowest: { readonly milliseconds: number; readonly what: string };
  readonly faults: readonly string[];
}

export async function fuzz(order: FuzzOrder): Promise<FuzzReport> {
  const run = await FuzzRun.start(order);
  try {
    return await run.run();
  } finally {
    await run.stop();
  }
}

class FuzzRun {
  readonly faults: string[] = [];
  readonly #byKind = new Map<string, { inputs: number; dialled: number }>();
  readonly #logins = new Map<string, Login>();
  readonly #totals = new Totals(LIMITS.tunnelIdleMs);
  readonly #live = new Set<Trial>();
  /** By the addresses that they are entitled to dial, until the batch is over. */
  readonly #entitled = new Map<string, Trial>();
  readonly #excluded = new Set<Trial>();
  readonly #judged = new Set<Trial>();
  #world!: World;
  #poor!: FakeConnection;
  #control!: ControlPlane;
  #node!: Awaited<ReturnType<typeof startNode>>;
  #origins!: Origins;
  #stopNames!: () => void;
  #before: Measured | undefined;
  #slowest = { milliseconds: 0, what: '' };

  private constructor(private readonly order: FuzzOrder) {}

  static async start(order: FuzzOrder): Promise<FuzzRun> {
    const run = new FuzzRun(order);
    await run.#start();
    return run;
  }

  async #start(): Promise<void> {
    const [originPort, gatewayPort] = this.order.ports ?? [0, 0];
    this.#control = await new ControlPlane().start();
    // From a loopback address nothing can leave this machine, whatever address a mutation makes.
    const exit = { kind: 'local-address', address: '127.0.0.1' } as const;
    const logins = Array.from({ length: LOGINS }, () => this.#control.sell({ exit }));
    this.#poor = this.#control.sell({ exit, allowedBytes: 1 });
    for (const login of [...logins, this.#poor]) this.#logins.set(login.username, login);
    const names = await startNameServer((name) => {
      const address = addressOfName(name);
      return address === undefined ? undefined : [address];
    });
    this.#stopNames = names.stop;
    this.#origins = new Origins((address, socket) => {
      const trial = this.#entitled.get(address);
      if (trial && !this.#excluded.has(trial)) {
        trial.connections.push(
          new OriginConnection(socket, trial.plan, trial.connections.length, (connection) =>
            this.#closed(trial, connection),
          ),
        );
        return;
      }
      if (!trial) this.#fault(`an origin was dialled at ${address}, and nobody may`);
      socket.on('error', () => socket.destroy()).destroy();
    });
    this.#node = await startNode(
      {
        controlUrl: this.#control.url,
        token: this.#control.token,
        nameServers: [names.address],
        limits: LIMITS,
        descriptors: 1_000_000,
        port: gatewayPort,
      },
      (what) => this.#fault(`${what}; at work: ${[...this.#live].map(({ plan }) => plan.index).join(' ')}`),
    );
    this.#world = {
      originPort: await this.#origins.start(originPort),
      gatewayPort: this.#node.port,
      logins,
      poorLogin: this.#poor,
    };
  }

  async run(): Promise<FuzzReport> {
    const { inputs, first = 0, batch } = this.order;
    await this.#batch(inputs + first, Math.min(WARM_UP_INPUTS, inputs));
    const before = await this.#measureEmpty();
    this.#before = before;
    this.#byKind.clear();
    let after = before;
    let heapBytesMax = before.heapBytes;
    const startedAt = performance.now();
    for (let done = 0; done < inputs && this.#isGoing(); done += batch) {
      await this.#batch(first + done, Math.min(batch, inputs - done));
      if (!this.#node.isRunning()) break;
      after = await this.#measureEmpty();
      heapBytesMax = Math.max(heapBytesMax, after.heapBytes);
      this.#compare(before, after);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      this.order.progress?.(`${done + batch} inputs, ${seconds} s, ${JSON.stringify({ ...after, values: undefined })}`);
    }
    const kinds = [...this.#byKind.values()];
    return {
      inputs: kinds.reduce((sum, kind) => sum + kind.inputs, 0),
      dialled: kinds.reduce((sum, kind) => sum + kind.dialled, 0),
      seconds: (performance.now() - startedAt) / 1000,
      byKind: this.#byKind,
      before,
      after,
      heapBytesMax,
      slowest: this.#slowest,
      faults: this.faults,
    };
  }

  async stop(): Promise<void> {
    await this.#node.stop();
    this.#origins.stop();
    this.#stopNames();
    this.#control.stop();
  }

  #isGoing(): boolean {
    return this.faults.length < FAULTS_MAX && this.#node.isRunning();
  }

  #fault(what: string): void {
    if (this.faults.length < FAULTS_MAX) this.faults.push(what);
  }

  async #batch(first: number, count: number): Promise<void> {
    this.#poor.allowedBytes += POOR_BYTES;
    if (this.#poor.state !== 'ended') this.#poor.state = 'open';
    let next = first;
    const worker = async () => {
      while (next < first + count && this.#isGoing()) {
        next += 1;
        await this.#play(next - 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  async #play(index: number): Promise<void> {
    const plan = planOf(this.order.seed, index, this.#world);
    const reading = readClient(plan.bytes, this.#logins);
    const trial: Trial = { plan, reading, connections: [], transcript: undefined };
    this.#entitle(trial, reading);
    this.#live.add(trial);
    trial.transcript = await playClient(plan, this.#world.gatewayPort, INPUT_TIMEOUT_MS);
    // Otherwise when the last connection to its origin has closed; nobody waits for that here.
    if (trial.connections.every(({ isBlocked }) => isBlocked) && !isAwaited(trial, this.#world)) this.#judge(trial);
  }

  #entitle(trial: Trial, { tunnel, requests }: Reading): void {
    const destinations = [tunnel, ...requests.map(({ destination }) => destination)];
    for (const destination of destinations) {
      if (!destination || destination.port !== this.#world.originPort) continue;
      const { address } = destination;
      const other = this.#entitled.get(address) ?? trial;
      // A mutation has led to the address of another input: nobody can tell their connections apart.
      if (other !== trial) for (const each of [trial, other]) this.#excluded.add(each);
      this.#entitled.set(address, trial);
    }
  }

  #closed(trial: Trial, connection: OriginConnection): void {
    if (!this.#judged.has(trial)) {
      if (trial.transcript && trial.connections.every(({ isBlocked }) => isBlocked)) this.#judge(trial);
      return;
    }
    // It was dialled for a client that had left.
    for (const fault of judgeOrigins(trial))
      this.#faultOf(trial, `${fault} (${trial.plan.kind}, when the client had left)`);
    this.#totals.add(trial, connection);
  }

  #judge(trial: Trial): void {
    const { plan, connections } = trial;
    this.#judged.add(trial);
    this.#live.delete(trial);
    const milliseconds = trial.transcript?.milliseconds ?? 0;
    if (milliseconds > this.#slowest.milliseconds)
      this.#slowest = { milliseconds, what: `${plan.index}, ${plan.kind}` };
    if (!this.#excluded.has(trial)) for (const fault of judge(trial, this.#world)) this.#faultOf(trial, fault);
    this.#totals.addClient(trial);
    for (const connection of connections) this.#totals.add(trial, connection);
    const kind = this.#byKind.get(plan.kind) ?? { inputs: 0, dialled: 0 };
    kind.inputs += 1;
    if (connections.length > 0) kind.dialled += 1;
    this.#byKind.set(plan.kind, kind);
  }

  #faultOf({ plan }: Trial, fault: string): void {
    const { originPort, gatewayPort } = this.#world;
    this.#fault(`seed=${this.order.seed} first=${plan.index} inputs=1 ports=${originPort},${gatewayPort}: ${fault}`);
  }

  /** Waits until nothing of the batch is left, in the gateway, at its origins and in its reports. */
  async #measureEmpty(): Promise<Measured> {
    const deadline = performance.now() + DRAIN_MS;
    let measured = await this.#node.measure();
    let left = this.#leftOf(measured);
    while (left.length > 0 && performance.now() < deadline) {
      await pause(50);
      measured = await this.#node.measure();
      left = this.#leftOf(measured);
    }
    for (const each of left) this.#fault(`behind a batch: ${each}`);
    if (left.length === 0) for (const each of this.#totals.faults(measured)) this.#fault(each);
    this.#entitled.clear();
    this.#excluded.clear();
    this.#judged.clear();
    return measured;
  }

  #leftOf({ values, descriptors }: Measured): string[] {
    const gauges = ['gateway_tunnels', 'gateway_client_sockets', 'gateway_half_open', 'gateway_pump_buffers_in_use'];
    const left = gauges.filter((name) => values[name] !== 0).map((name) => `${name} is ${values[name]}`);
    for (const trial of this.#live) if (trial.transcript && this.#excluded.has(trial)) this.#judge(trial);
    const growth = descriptors - (this.#before?.descriptors ?? descriptors);
    if (growth > DESCRIPTORS_GROWTH_MAX) left.push(`${growth} descriptors more than before are open`);
    if (this.#origins.open > 0) left.push(`${this.#origins.open} connections to origins are open`);
    if (this.#live.size > 0)
      left.push(`inputs ${[...this.#live].map(({ plan }) => plan.index).join(' ')} have not ended`);
    const reportedBytes = [...this.#control.connections.values()].reduce((sum, { usedBytes }) => sum + usedBytes, 0);
    const countedBytes = Object.entries(values)
      .filter(([name]) => name.startsWith('gateway_bytes_total'))
      .reduce((sum, [, bytes]) => sum + bytes, 0);
    if (reportedBytes !== countedBytes) left.push(`${countedBytes} bytes are counted and ${reportedBytes} reported`);
    return left;
  }

  #compare(before: Measured, after: Measured): void {
    const growthBytes = after.heapBytes - before.heapBytes;
    if (growthBytes > HEAP_GROWTH_MAX_BYTES) this.#fault(`the heap has grown by ${growthBytes} bytes`);
  }
}

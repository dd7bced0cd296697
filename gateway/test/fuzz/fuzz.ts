/** Runs many inputs against the public port of a real gateway, and checks each outcome and the state after each batch. */
import { setTimeout as pause } from 'node:timers/promises';
import { ControlPlane, type FakeConnection } from '../control-plane.ts';
import { startNameServer } from '../name-server.ts';
import { runClient } from './client.ts';
import { createPlan } from './generator.ts';
import { checkOrigins, checkTrial, isOriginPending, type Trial } from './oracle.ts';
import { startNode } from './node.ts';
import type { Measurement } from './node-process.ts';
import { OriginConnection, Origins } from './origins.ts';
import { addressOfName, type Login, type RunContext } from './plan.ts';
import { type ParsedClient, parseClient } from './reference-parser.ts';
import { type FuzzReport, type FuzzSettings, LIMITS } from './settings.ts';
import { Totals } from './totals.ts';

const LOGINS = 150;
const CONCURRENCY = 400;
const POOR_BYTES = 200_000;
const WARM_UP_INPUTS = 2_000;
/** Longer than every timeout of the gateway that an input can wait for. */
const INPUT_TIMEOUT_MS = 240_000;
const DRAIN_MS = 60_000;
const HEAP_GROWTH_MAX_BYTES = 12 * 1_048_576;
/** Keep-alive connections to the control plane, and the name server. */
const DESCRIPTORS_GROWTH_MAX = 4;
const FAULTS_MAX = 25;

export async function fuzz(settings: FuzzSettings): Promise<FuzzReport> {
  const run = await FuzzRun.start(settings);
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
  /** Trials by the addresses that they may dial, until the end of the batch. */
  readonly #expected = new Map<string, Trial>();
  readonly #excluded = new Set<Trial>();
  readonly #finished = new Set<Trial>();
  #context!: RunContext;
  #limitedConnection!: FakeConnection;
  #control!: ControlPlane;
  #node!: Awaited<ReturnType<typeof startNode>>;
  #origins!: Origins;
  #stopNames!: () => void;
  #before: Measurement | undefined;
  #slowest = { milliseconds: 0, what: '' };

  private constructor(private readonly settings: FuzzSettings) {}

  static async start(settings: FuzzSettings): Promise<FuzzRun> {
    const run = new FuzzRun(settings);
    await run.#start();
    return run;
  }

  async #start(): Promise<void> {
    const [originPort, gatewayPort] = this.settings.ports ?? [0, 0];
    this.#control = await new ControlPlane().start();
    // With a loopback source address nothing leaves this host, whatever destination a mutation creates.
    const exit = { kind: 'local-address', address: '127.0.0.1' } as const;
    const logins = Array.from({ length: LOGINS }, () => this.#control.sell({ exit }));
    this.#limitedConnection = this.#control.sell({ exit, allowedBytes: 1 });
    for (const login of [...logins, this.#limitedConnection]) this.#logins.set(login.username, login);
    const names = await startNameServer((name) => {
      const address = addressOfName(name);
      return address === undefined ? undefined : [address];
    });
    this.#stopNames = names.stop;
    this.#origins = new Origins((address, socket) => {
      const trial = this.#expected.get(address);
      if (trial && !this.#excluded.has(trial)) {
        trial.connections.push(
          new OriginConnection(socket, trial.plan, trial.connections.length, (connection) =>
            this.#closed(trial, connection),
          ),
        );
        return;
      }
      if (!trial) this.#fault(`an origin was dialled at ${address}, which no input may dial`);
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
        ...(this.settings.relay && { relay: this.settings.relay }),
      },
      (what) => this.#fault(`${what}; running inputs: ${[...this.#live].map(({ plan }) => plan.index).join(' ')}`),
    );
    this.#context = {
      originPort: await this.#origins.start(originPort),
      gatewayPort: this.#node.port,
      logins,
      poorLogin: this.#limitedConnection,
    };
  }

  async run(): Promise<FuzzReport> {
    const { inputs, first = 0, batch } = this.settings;
    await this.#batch(inputs + first, Math.min(WARM_UP_INPUTS, inputs));
    const before = await this.#measureEmpty();
    this.#before = before;
    this.#byKind.clear();
    let after = before;
    let heapBytesMax = before.heapBytes;
    const startedAt = performance.now();
    for (let done = 0; done < inputs && this.#canContinue(); done += batch) {
      await this.#batch(first + done, Math.min(batch, inputs - done));
      if (!this.#node.isRunning()) break;
      after = await this.#measureEmpty();
      heapBytesMax = Math.max(heapBytesMax, after.heapBytes);
      this.#compare(before, after);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      this.settings.progress?.(
        `${done + batch} inputs, ${seconds} s, ${JSON.stringify({ ...after, values: undefined })}`,
      );
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

  #canContinue(): boolean {
    return this.faults.length < FAULTS_MAX && this.#node.isRunning();
  }

  #fault(what: string): void {
    if (this.faults.length >= FAULTS_MAX) return;
    this.faults.push(what);
    this.settings.faulted?.(what);
  }

  async #batch(first: number, count: number): Promise<void> {
    this.#limitedConnection.allowedBytes += POOR_BYTES;
    if (this.#limitedConnection.state !== 'ended') this.#limitedConnection.state = 'open';
    let next = first;
    const worker = async () => {
      while (next < first + count && this.#canContinue()) {
        next += 1;
        await this.#runInput(next - 1);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  }

  async #runInput(index: number): Promise<void> {
    const plan = createPlan(this.settings.seed, index, this.#context);
    const parsed = parseClient(plan.bytes, this.#logins);
    const trial: Trial = { plan, parsed, connections: [], transcript: undefined };
    this.#expect(trial, parsed);
    this.#live.add(trial);
    trial.transcript = await runClient(plan, this.#context.gatewayPort, INPUT_TIMEOUT_MS);
    // Otherwise the trial finishes when the last connection to its origin closes.
    if (trial.connections.every(({ isClosed }) => isClosed) && !isOriginPending(trial, this.#context))
      this.#finish(trial);
  }

  #expect(trial: Trial, { tunnel, requests }: ParsedClient): void {
    const destinations = [tunnel, ...requests.map(({ destination }) => destination)];
    for (const destination of destinations) {
      if (!destination || destination.port !== this.#context.originPort) continue;
      const { address } = destination;
      const other = this.#expected.get(address) ?? trial;
      // A mutation has created the address of another input: their connections cannot be distinguished.
      if (other !== trial) for (const each of [trial, other]) this.#excluded.add(each);
      this.#expected.set(address, trial);
    }
  }

  #closed(trial: Trial, connection: OriginConnection): void {
    if (!this.#finished.has(trial)) {
      if (trial.transcript && trial.connections.every(({ isClosed }) => isClosed)) this.#finish(trial);
      return;
    }
    // It was dialled for a client that had disconnected.
    for (const fault of checkOrigins(trial))
      this.#reportFault(trial, `${fault} (${trial.plan.kind}, after the client had disconnected)`);
    this.#totals.add(trial, connection);
  }

  #finish(trial: Trial): void {
    const { plan, connections } = trial;
    this.#finished.add(trial);
    this.#live.delete(trial);
    const milliseconds = trial.transcript?.milliseconds ?? 0;
    if (milliseconds > this.#slowest.milliseconds)
      this.#slowest = { milliseconds, what: `${plan.index}, ${plan.kind}` };
    if (!this.#excluded.has(trial))
      for (const fault of checkTrial(trial, this.#context)) this.#reportFault(trial, fault);
    this.#totals.addClient(trial);
    for (const connection of connections) this.#totals.add(trial, connection);
    const kind = this.#byKind.get(plan.kind) ?? { inputs: 0, dialled: 0 };
    kind.inputs += 1;
    if (connections.length > 0) kind.dialled += 1;
    this.#byKind.set(plan.kind, kind);
  }

  #reportFault({ plan }: Trial, fault: string): void {
    const { originPort, gatewayPort } = this.#context;
    this.#fault(`seed=${this.settings.seed} first=${plan.index} inputs=1 ports=${originPort},${gatewayPort}: ${fault}`);
  }

  /** Waits until gateway and origins have released everything and all bytes are reported. */
  async #measureEmpty(): Promise<Measurement> {
    const deadline = performance.now() + DRAIN_MS;
    let measurement = await this.#node.measure();
    let remaining = this.#leftovers(measurement);
    while (remaining.length > 0 && performance.now() < deadline) {
      await pause(50);
      measurement = await this.#node.measure();
      remaining = this.#leftovers(measurement);
    }
    for (const each of remaining) this.#fault(`after a batch: ${each}`);
    if (remaining.length === 0) for (const each of this.#totals.faults(measurement)) this.#fault(each);
    this.#expected.clear();
    this.#excluded.clear();
    this.#finished.clear();
    return measurement;
  }

  #leftovers({ values, descriptors }: Measurement): string[] {
    const gauges = ['gateway_tunnels', 'gateway_client_sockets', 'gateway_half_open', 'gateway_pump_buffers_in_use'];
    const remaining = gauges.filter((name) => values[name] !== 0).map((name) => `${name} is ${values[name]}`);
    for (const trial of this.#live) if (trial.transcript && this.#excluded.has(trial)) this.#finish(trial);
    const growth = descriptors - (this.#before?.descriptors ?? descriptors);
    if (growth > DESCRIPTORS_GROWTH_MAX) remaining.push(`${growth} more descriptors than before are open`);
    if (this.#origins.open > 0) remaining.push(`${this.#origins.open} connections to origins are open`);
    if (this.#live.size > 0)
      remaining.push(`inputs ${[...this.#live].map(({ plan }) => plan.index).join(' ')} have not ended`);
    const reportedBytes = [...this.#control.connections.values()].reduce((sum, { usedBytes }) => sum + usedBytes, 0);
    const countedBytes = Object.entries(values)
      .filter(([name]) => name.startsWith('gateway_bytes_total'))
      .reduce((sum, [, bytes]) => sum + bytes, 0);
    if (reportedBytes !== countedBytes)
      remaining.push(`${countedBytes} bytes were counted, ${reportedBytes} were reported`);
    return remaining;
  }

  #compare(before: Measurement, after: Measurement): void {
    const growthBytes = after.heapBytes - before.heapBytes;
    if (growthBytes > HEAP_GROWTH_MAX_BYTES) this.#fault(`the heap has grown by ${growthBytes} bytes`);
  }
}

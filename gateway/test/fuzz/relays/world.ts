import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { type Gateway, startGateway } from '../../../src/gateway.ts';
import type { Limits } from '../../../src/limits.ts';
import { acceleratorFile } from '../../accelerator.ts';
import { ControlPlane } from '../../control-plane.ts';
import { readMetric, untilGauge } from '../../gateway-harness.ts';
import { GUESSES_MAX, HALF_OPEN_MAX } from './plans.ts';

/** Timeouts that a case waits for, and that nothing else on a busy machine reaches. */
const WAIT_MS = 10_000;
/** Longer than a delivery before a reset takes here: it reads the list of all sockets of the host, of which this run leaves many. */
const IDLE_MS = 60_000;
/** Shorter: what is idle meanwhile is cut by the drain. */
const DRAIN_MS = 5_000;

const LIMITS: Partial<Limits> = {
  loginFailuresPerMinute: GUESSES_MAX,
  halfOpenPerNetwork: HALF_OPEN_MAX,
  // On a busy machine the first clients of a run, which come at once, wait for long.
  handshakeMs: IDLE_MS,
  nextRequestMs: WAIT_MS,
  tunnelIdleMs: IDLE_MS,
  halfClosedIdleMs: IDLE_MS,
  grantWaitMs: WAIT_MS,
  lingerMs: 1_000,
  flushMs: 30_000,
  dialMs: 60_000,
  dialAttemptMs: 60_000,
  dnsAnswerMs: 60_000,
  controlRequestMs: 60_000,
  addressRequestMs: 60_000,
  authorizationsAtOnce: 1_000,
  updateIntervalMs: 100,
  idleUpdateIntervalMs: 500,
  connectionLimitsMs: 150,
  connectionIdleMs: 1_000,
  // One process of the operator serves both gateways, and this one is busy.
  lastReportMs: 60_000,
};

/** What the operator reads in the log about one connection or one client, without its time and its ids. */
export interface Line {
  readonly msg: string;
  readonly protocol?: string;
  readonly reason?: string;
  readonly cause?: string;
  readonly toExit?: number;
  readonly toClient?: number;
  readonly usedBytes?: number;
}

type LogLine = Line & { readonly level: number; readonly connectionId?: string; readonly clientAddress?: string };

const ERROR_LEVEL = 50;
/** The outcome of these metrics depends on time. Of the histograms, the numbers of values are compared. */
const TIMED =
  /_seconds(_bucket|_sum)?$|_seconds_total$|^gateway_(bytes_total|grant_waits_total|speed_waits_total|relay_info|accelerat\w+|pump_\w+|control_request_\w+|dns_upstream_\w+|exit_checks_total)|^process_|^nodejs_/;

/** Of connections without credit; judge.ts has the reason. */
const ENDED_BY_EITHER = /^(gateway_connection_ends_total) (unused|no-money)$/;

/** A gateway with its operator and its origins: one that is compared with another one. */
export class World {
  readonly faults: string[] = [];
  readonly control = new ControlPlane();
  /** Fulfilled when the gateway begins to drain. */
  readonly draining: Promise<void>;
  /** The most tunnels that native code had at a time. */
  acceleratedMax = 0;
  /** Cases that wait for the drain. */
  held = 0;
  #gateway!: Gateway;
  #drain!: () => void;
  readonly #origins: Server;
  readonly #open = new Set<Socket>();
  readonly #accepting = new Map<string, (socket: Socket) => void>();
  readonly #lines = new Map<string, Line[]>();
  readonly #refused = [`127.99.0.0/16`];
  readonly #countedBytes = new Map<string, number>();

  private constructor(readonly name: string) {
    this.draining = new Promise((fulfil) => {
      this.#drain = fulfil;
    });
    this.#origins = this.#listen((socket) => {
      const accept = this.#accepting.get(socket.localAddress ?? '');
      if (accept) return accept(socket);
      this.faults.push(`an origin was dialled at ${socket.localAddress}, which nobody may dial`);
      return socket.destroy();
    });
  }

  static async start(name: string, nameServer: string, isAccelerated: boolean): Promise<World> {
    const world = new World(name);
    await world.control.start();
    world.#origins.listen({ port: 0, host: '0.0.0.0', backlog: 4_096 });
    await once(world.#origins, 'listening');
    world.control.refuse(...world.#refused);
    world.#gateway = await startGateway({
      host: '127.0.0.1',
      port: 0,
      controlUrl: world.control.url,
      token: world.control.token,
      allowPrivate: true,
      nameServers: [nameServer],
      descriptors: 1_000_000,
      accelerator: isAccelerated ? acceleratorFile : undefined,
      log: pino({ level: 'debug' }, { write: (text: string) => world.#read(text) }),
      limits: LIMITS,
    });
    await untilGauge(world.#gateway, 'gateway_refused_destinations', 1);
    return world;
  }

  get gatewayPort(): number {
    return this.#gateway.port;
  }

  get originPort(): number {
    return (this.#origins.address() as AddressInfo).port;
  }

  get relay(): Promise<string> {
    return this.#gateway.metrics.registry.getSingleMetricAsString('gateway_relay_info');
  }

  /** @param accepted called with the next connections to this address of an origin */
  expect(address: string, accepted: (socket: Socket) => void): void {
    this.#accepting.set(address, accepted);
  }

  forget(addresses: readonly string[], keys: readonly string[]): void {
    for (const address of addresses) this.#accepting.delete(address);
    for (const key of keys) this.#lines.delete(key);
  }

  linesOf(key: string): readonly Line[] {
    return this.#lines.get(key) ?? [];
  }

  refuse(address: string): void {
    this.#refused.push(address);
    this.control.refuse(...this.#refused);
  }

  async sample(): Promise<void> {
    const tunnels = await readMetric(this.#gateway, 'gateway_accelerated_tunnels');
    this.acceleratedMax = Math.max(this.acceleratedMax, tunnels);
  }

  /** @returns what is left when the last client has gone, by name and labels */
  async stop(): Promise<Record<string, number>> {
    this.#drain();
    const areDelivered = await this.#gateway.close({ drainMs: DRAIN_MS });
    if (!areDelivered) this.faults.push('final totals were not delivered');
    // The last sockets close in the next turns.
    for (let turn = 0; turn < 200 && this.#open.size > 0; turn += 1) await pause(10);
    const values = await this.#values();
    this.#origins.close();
    for (const socket of this.#open) socket.destroy();
    this.control.stop();
    return values;
  }

  async #values(): Promise<Record<string, number>> {
    const values: Record<string, number> = {};
    const counted = new Map<string, number>();
    for (const metric of await this.#gateway.metrics.registry.getMetricsAsJSON())
      for (const { value, labels, metricName } of metric.values as Value[]) {
        const name = metricName ?? metric.name;
        if (name === 'gateway_bytes_total') counted.set(`${labels['protocol']} ${labels['direction']}`, value);
        else if (!TIMED.test(name)) {
          const key = [name, ...Object.values(labels)].join(' ').replace(ENDED_BY_EITHER, '$1 unused or no-money');
          values[key] = (values[key] ?? 0) + value;
        }
      }
    for (const [labels, bytes] of counted)
      if (bytes !== (this.#countedBytes.get(labels) ?? 0))
        this.faults.push(
          `gateway_bytes_total ${labels} is ${bytes}, the tunnels had ${this.#countedBytes.get(labels)}`,
        );
    return values;
  }

  #listen(accepted: (socket: Socket) => void): Server {
    return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
      socket.on('error', () => socket.destroy());
      accepted(socket);
    });
  }

  #read(text: string): void {
    const { level, connectionId, clientAddress, ...rest } = JSON.parse(text) as LogLine;
    if (level >= ERROR_LEVEL) this.faults.push(`the gateway logged: ${text.trim()}`);
    const key = connectionId ?? clientAddress;
    if (key === undefined) return;
    const { msg, protocol, reason, cause, toExit, toClient, usedBytes } = rest;
    const line: Line = JSON.parse(
      JSON.stringify({ msg, protocol, reason, cause, toExit, toClient, usedBytes }),
    ) as Line;
    const lines = this.#lines.get(key);
    if (lines) lines.push(line);
    else this.#lines.set(key, [line]);
    if (msg === 'Tunnel ended')
      for (const [direction, bytes] of Object.entries({ toExit, toClient })) {
        const labels = `${protocol} ${direction}`;
        this.#countedBytes.set(labels, (this.#countedBytes.get(labels) ?? 0) + (bytes ?? 0));
      }
  }
}

interface Value {
  readonly value: number;
  readonly labels: Record<string, string>;
  readonly metricName?: string;
}

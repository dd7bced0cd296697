import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ByteTotals } from './metering/meter.ts';

export type Metrics = ReturnType<typeof createMetrics>;

const PROTOCOLS = ['socks5', 'http-connect', 'http-request'] as const;

/** No label holds a user, a connection, a client address or a destination. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  // Counted per chunk, so these are plain numbers that are copied when somebody asks.
  const bytes = new Map<string, ByteTotals>(PROTOCOLS.map((protocol) => [protocol, { toExit: 0, toClient: 0 }]));
  const eventLoop = monitorEventLoopDelay({ resolution: 20 });

  const bytesTotal = new Counter({
    name: 'gateway_bytes_total',
    help: 'Counted payload bytes',
    labelNames: ['direction', 'protocol'],
    registers,
    collect() {
      this.reset();
      for (const [protocol, totals] of bytes)
        for (const direction of ['toExit', 'toClient'] as const) this.inc({ direction, protocol }, totals[direction]);
    },
  });

  return {
    registry,
    bytesTotal,
    bytesOf: (protocol: (typeof PROTOCOLS)[number]) => bytes.get(protocol) ?? { toExit: 0, toClient: 0 },
    /** Sampling the event loop costs a timer, so it runs only where somebody reads it. */
    watchEventLoop: () => {
      eventLoop.enable();
      gauge(registers, 'gateway_event_loop_lag_seconds', 'Mean delay of the event loop', () => eventLoop.mean / 1e9);
    },
    unwatchEventLoop: () => eventLoop.disable(),
    watch: (name: string, help: string, value: () => number) => gauge(registers, name, help, value),
    ...tunnelMetrics(registers),
    ...clientMetrics(registers),
    ...controlMetrics(registers),
    relayInfo: new Gauge({
      name: 'gateway_relay_info',
      help: 'The relay in use',
      labelNames: ['relay'],
      registers,
    }),
  };
}

function tunnelMetrics(registers: Registry[]) {
  return {
    tunnelEnds: new Counter({
      name: 'gateway_tunnel_ends_total',
      help: 'Tunnels that ended',
      labelNames: ['reason'],
      registers,
    }),
    connectionEnds: new Counter({
      name: 'gateway_connection_ends_total',
      help: 'Connections that ended in this run: those that the control plane has ended, by its reason, and those of the run alone',
      labelNames: ['reason'],
      registers,
    }),
    grantWaits: new Counter({
      name: 'gateway_grant_waits_total',
      help: 'Times that a tunnel waited for a grant, or for an answer to its reports',
      registers,
    }),
    grantWaitSeconds: new Counter({
      name: 'gateway_grant_wait_seconds_total',
      help: 'How long tunnels waited so, each for itself; added when a wait is over',
      registers,
    }),
    dialSeconds: new Histogram({ name: 'gateway_dial_seconds', help: 'Successful dials', registers }),
  };
}

function clientMetrics(registers: Registry[]) {
  return {
    socketsClosed: new Counter({
      name: 'gateway_client_sockets_closed_total',
      help: 'Times that a limit of client sockets closed one: the longest waiting, or else the newcomer',
      labelNames: ['limit'],
      registers,
    }),
    descriptorsExhausted: new Counter({
      name: 'gateway_descriptors_exhausted_total',
      help: 'Dials that failed because no file descriptor was left, and checks once a second that found none',
      registers,
    }),
    refusals: new Counter({
      name: 'gateway_refusals_total',
      help: 'Clients and requests that were refused, or failed before an answer began; each once',
      labelNames: ['reason'],
      registers,
    }),
    handshakeSeconds: new Histogram({
      name: 'gateway_handshake_seconds',
      help: 'From accept to authenticated',
      registers,
    }),
  };
}

function controlMetrics(registers: Registry[]) {
  return {
    controlRequestSeconds: new Histogram({
      name: 'gateway_control_request_seconds',
      help: 'Calls to the control plane',
      labelNames: ['outcome'],
      registers,
    }),
    refusedCalls: new Counter({
      name: 'gateway_refused_calls_total',
      help: 'Calls that the control plane refused, or whose answer could not be read',
      labelNames: ['call'],
      registers,
    }),
  };
}

function gauge(registers: Registry[], name: string, help: string, value: () => number): Gauge {
  return new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(value());
    },
  });
}

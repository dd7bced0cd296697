import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DnsMetrics } from './dns/dns-metrics.ts';
import type { ByteTotals } from './metering/meter.ts';
import { plainCounter } from './plain-counter.ts';
import { createDropCounts } from './udp/drop.ts';

export type Metrics = ReturnType<typeof createMetrics>;

const DIRECTIONS = ['toExit', 'toClient'] as const;
const PROTOCOLS = ['socks5', 'socks5-udp', 'http-connect', 'http-request', 'dns'] as const;

/** No label contains a user, a connection, a client address or a destination. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const bytes = new Map<string, ByteTotals>(PROTOCOLS.map((protocol) => [protocol, { toExit: 0, toClient: 0 }]));
  const eventLoop = monitorEventLoopDelay({ resolution: 20 });

  const bytesTotal = plainCounter(registers, {
    name: 'gateway_bytes_total',
    help: 'Counted payload bytes',
    labelNames: ['direction', 'protocol'],
    counts: () =>
      [...bytes].flatMap(([protocol, totals]) =>
        DIRECTIONS.map((direction) => [[direction, protocol], totals[direction]] as const),
      ),
  });

  return {
    registry,
    bytesTotal,
    bytesOf: (protocol: (typeof PROTOCOLS)[number]) => bytes.get(protocol) ?? { toExit: 0, toClient: 0 },
    totalBytes: () => [...bytes.values()].reduce((sum, { toExit, toClient }) => sum + toExit + toClient, 0),
    /** Sampling the event loop needs a timer, so it runs only if the metrics port is open. */
    watchEventLoop: () => {
      eventLoop.enable();
      gauge(registers, 'gateway_event_loop_lag_seconds', 'Mean delay of the event loop', () => eventLoop.mean / 1e9);
    },
    unwatchEventLoop: () => eventLoop.disable(),
    watch: (name: string, help: string, value: () => number) => gauge(registers, name, help, value),
    ...tunnelMetrics(registers),
    udp: udpMetrics(registers),
    ...clientMetrics(registers),
    ...controlMetrics(registers),
    dns: new DnsMetrics(registers),
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
      help: 'Connections that ended in this run, by the reason of the control plane or of the node itself',
      labelNames: ['reason'],
      registers,
    }),
    grantWaits: new Counter({
      name: 'gateway_grant_waits_total',
      help: 'Times that a tunnel waited for a grant or for the acknowledgement of its reports',
      registers,
    }),
    grantWaitSeconds: new Counter({
      name: 'gateway_grant_wait_seconds_total',
      help: 'Sum of these waits over all tunnels; added when a wait ends',
      registers,
    }),
    upstreamChecks: new Counter({
      name: 'gateway_upstream_checks_total',
      help: 'Checks of upstream proxies: ok, or why they failed',
      labelNames: ['outcome'],
      registers,
    }),
    dialSeconds: new Histogram({ name: 'gateway_dial_seconds', help: 'Successful dials', registers }),
  };
}

function udpMetrics(registers: Registry[]) {
  const relayed: ByteTotals = { toExit: 0, toClient: 0 };
  const dropped = createDropCounts();
  const datagramsTotal = plainCounter(registers, {
    name: 'gateway_udp_datagrams_total',
    help: 'Relayed datagrams',
    labelNames: ['direction'],
    counts: () => DIRECTIONS.map((direction) => [[direction], relayed[direction]]),
  });
  const droppedTotal = plainCounter(registers, {
    name: 'gateway_udp_dropped_total',
    help: 'Datagrams that were dropped, and errors of UDP sockets',
    labelNames: ['reason'],
    counts: () => Object.entries(dropped).map(([reason, count]) => [[reason], count]),
  });
  return { relayed, dropped, datagramsTotal, droppedTotal };
}

function clientMetrics(registers: Registry[]) {
  return {
    socketsClosed: new Counter({
      name: 'gateway_client_sockets_closed_total',
      help: 'Client sockets closed by a limit: the one idle longest, or else the new one',
      labelNames: ['limit'],
      registers,
    }),
    descriptorsExhausted: new Counter({
      name: 'gateway_descriptors_exhausted_total',
      help: 'Dials that failed, and checks once a second that found, that no file descriptor is left',
      registers,
    }),
    refusals: new Counter({
      name: 'gateway_refusals_total',
      help: 'Clients and requests that were refused or failed before a response began; each counted once',
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
      help: 'Calls that the control plane refused, or whose response was invalid',
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

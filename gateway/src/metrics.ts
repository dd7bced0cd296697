import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { UpstreamEvent } from './exits/query-socket.ts';
import type { ByteTotals } from './metering/outlet.ts';
import type { HeaderFault } from './protocol/socks5.ts';

export type Metrics = ReturnType<typeof createMetrics>;

const DIRECTIONS = ['toExit', 'toClient'] as const;
const PROTOCOLS = ['socks4', 'socks5', 'socks5-udp', 'http-connect', 'http-request', 'dns'] as const;

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

  const watch = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });

  return {
    registry,
    bytesTotal,
    byteTotals: (protocol: (typeof PROTOCOLS)[number]) => bytes.get(protocol) ?? { toExit: 0, toClient: 0 },
    totalBytes: () => [...bytes.values()].reduce((sum, { toExit, toClient }) => sum + toExit + toClient, 0),
    /** Sampling the event loop needs a timer, so it runs only if the metrics port is open. */
    watchEventLoop: () => {
      eventLoop.enable();
      watch('gateway_event_loop_lag_seconds', 'Mean delay of the event loop', () => eventLoop.mean / 1e9);
    },
    unwatchEventLoop: () => eventLoop.disable(),
    watch,
    ...eventMetrics(registers),
    udp: udpMetrics(registers),
    dns: dnsMetrics(registers),
    watchRelay: (kind: () => string) =>
      new Gauge({
        name: 'gateway_relay_info',
        help: 'The relay of new tunnels',
        labelNames: ['relay'],
        registers,
        collect() {
          this.reset();
          this.set({ relay: kind() }, 1);
        },
      }),
  };
}

function eventMetrics(registers: Registry[]) {
  const counter = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Histogram({ name, help, labelNames, registers });
  return {
    ...tunnelMetrics(registers),
    connectionEnds: counter(
      'gateway_connection_ends_total',
      'Connections that ended in this run, by the reason of the control plane or of the node itself',
      'reason',
    ),
    grantWaits: counter(
      'gateway_grant_waits_total',
      'Times that a tunnel waited for a grant or for the acknowledgement of its reports',
    ),
    grantWaitSeconds: counter(
      'gateway_grant_wait_seconds_total',
      'Sum of these waits over all tunnels; added when a wait ends',
    ),
    speedWaits: counter(
      'gateway_speed_waits_total',
      'Times that a tunnel waited for the speed limit of its connection',
    ),
    exitChecks: counter('gateway_exit_checks_total', 'Checks of exits: ok, or why they did not succeed', 'outcome'),
    dialSeconds: histogram('gateway_dial_seconds', 'Successful dials'),
    socketsClosed: counter(
      'gateway_client_sockets_closed_total',
      'Client sockets closed by a limit: the one idle longest, or else the new one',
      'limit',
    ),
    descriptorsExhausted: counter(
      'gateway_descriptors_exhausted_total',
      'Dials that failed, and checks once a second that found, that no file descriptor is left',
    ),
    refusals: counter(
      'gateway_refusals_total',
      'Clients and requests that were refused or failed before a response began; each counted once',
      'reason',
    ),
    http2Floods: counter(
      'gateway_http2_floods_total',
      'Clients that speak HTTP/2 and were disconnected for what they sent besides the bytes of tunnels',
      'kind',
    ),
    handshakeSeconds: histogram('gateway_handshake_seconds', 'From accept to authenticated'),
    controlRequestSeconds: histogram('gateway_control_request_seconds', 'Calls to the control plane', 'outcome'),
    refusedCalls: counter(
      'gateway_refused_calls_total',
      'Calls that the control plane refused, or whose response was invalid',
      'call',
    ),
  };
}

function tunnelMetrics(registers: Registry[]) {
  const byReason = new Map<string, number>();
  const tunnelEnds = plainCounter(registers, {
    name: 'gateway_tunnel_ends_total',
    help: 'Tunnels that ended',
    labelNames: ['reason'],
    counts: () => [...byReason].map(([reason, count]) => [[reason], count]),
  });
  return {
    tunnelEnds,
    tunnelEnded: (reason: string): void => {
      byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
    },
  };
}

/** Why a datagram of an association was dropped. */
export type Drop = HeaderFault | (typeof otherReasons)[number];

const otherReasons = [
  /** Not from the client's address, or from another port of it. */
  'wrong-source',
  /** From an address to which the client has not sent anything lately. */
  'unknown-sender',
  /** Its name has no address, the exit cannot reach it, or too many datagrams wait for such answers. */
  'unresolved',
  'destination-prohibited',
  'destination-refused',
  'port-prohibited',
  'no-credit',
  'rate-limit',
  /** Faster than the limit of the connection. */
  'speed-limit',
  'queue-full',
  /** With its header it exceeds the largest datagram. */
  'too-large',
  'network-error',
] as const;

/** Plain numbers, because they change with each datagram; copied into the metrics at each scrape. */
function createDropCounts(): Record<Drop, number> {
  const reasons: Drop[] = ['malformed', 'fragment', ...otherReasons];
  return Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<Drop, number>;
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

export type Transport = 'udp' | 'tcp';

/**
 * How a question was answered. `refused`: by this node itself (format, opcode, zone transfer, refused destination). `special-name`: by this node itself,
 * because the name exists in local networks only. `failed`: SERVFAIL, because no name server answered. `filtered`: the answer had
 * private addresses.
 */
export type Outcome = 'answered' | 'truncated' | 'refused' | 'special-name' | 'failed' | 'filtered';

/** Of a name that is resolved through another proxy. `shared`: somebody else has asked for the same name just before. */
export type LookupOutcome = 'kept' | 'shared' | 'found' | 'missing' | 'failed';

/** Why a message got no answer. */
export type DropReason =
  | 'client-not-allowed'
  | 'rate-limit'
  | 'speed-limit'
  | 'in-flight-limit'
  | 'malformed'
  | 'not-a-query'
  | 'no-credit'
  | 'port-closed'
  | 'send-queue-full'
  | 'network-error'
  | 'client-limit'
  | 'client-closed'
  | 'idle';

/** No label contains a connection, a client or a name. */
function dnsMetrics(registers: Registry[]) {
  /** @returns a function that counts by the values of the labels, separated by spaces */
  const counter = (name: string, help: string, ...labelNames: string[]) => {
    const byLabels = new Map<string, number>();
    const counts = () => [...byLabels].map(([labels, count]) => [labels.split(' '), count] as const);
    plainCounter(registers, { name, help, labelNames, counts });
    return (labels: string) => byLabels.set(labels, (byLabels.get(labels) ?? 0) + 1);
  };
  const countAnswer = counter(
    'gateway_dns_queries_total',
    'Questions on DNS ports that were answered',
    'transport',
    'outcome',
  );
  const countDrop = counter(
    'gateway_dns_dropped_total',
    'Messages and TCP clients on DNS ports that were dropped without an answer',
    'transport',
    'reason',
  );
  const countEvent = counter(
    'gateway_dns_upstream_total',
    'Questions to name servers, their answers and failures, and messages that answer no question',
    'event',
  );
  const countLookup = counter(
    'gateway_exit_names_total',
    'Names of destinations that were resolved through other proxies',
    'outcome',
  );
  return {
    answered: (transport: Transport, outcome: Outcome) => countAnswer(`${transport} ${outcome}`),
    dropped: (transport: Transport, reason: DropReason) => countDrop(`${transport} ${reason}`),
    upstream: (event: UpstreamEvent) => countEvent(event),
    lookup: (outcome: LookupOutcome) => countLookup(outcome),
  };
}

interface PlainCounterSettings {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** The values of the labels, and the count. */
  readonly counts: () => Iterable<readonly [labels: readonly string[], count: number]>;
}

/** A counter of plain numbers, because they change with each chunk, datagram or question; each scrape copies them. */
function plainCounter(registers: Registry[], { name, help, labelNames, counts }: PlainCounterSettings): Counter {
  return new Counter({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const [labels, count] of counts()) this.labels(...labels).inc(count);
    },
  });
}

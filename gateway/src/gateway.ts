import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { Logger } from 'pino';
import { inBackground, repeat } from './background.ts';
import type { Connection } from './connection.ts';
import { Connections } from './connections.ts';
import type { GatewayContext } from './context.ts';
import { ControlHealth } from './control-health.ts';
import { ControlClient } from './control-client.ts';
import { type DestinationPolicy, ownListeners } from './destination-policy.ts';
import { ExitWatch } from './exits/exit-watch.ts';
import { descriptorLimit, DescriptorWatch, fitToDescriptors, warnOfDescriptors } from './descriptors.ts';
import { createLocalAddressExit } from './exits/local-address.ts';
import { ReservedAddresses } from './exits/reserved-addresses.ts';
import { type PortRange, SourcePorts } from './exits/source-ports.ts';
import { Greetings } from './greetings.ts';
import { answerHealth, healthOf, type NodeHealth, watchControl } from './node-health.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { createHttpProxy } from './listeners/http-proxy.ts';
import { createPublicPort } from './listeners/public-port.ts';
import { LoginGuard } from './login-guard.ts';
import { Reporter } from './metering/reporter.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { chooseMover } from './pipe/feature-test.ts';
import type { Mover } from './pipe/pipe.ts';
import { createPump } from './pipe/pump.ts';
import { streams } from './pipe/streams.ts';
import type { Tunnel } from './tunnel.ts';

export interface GatewaySettings {
  readonly host: string;
  readonly port: number;
  readonly controlUrl: string;
  readonly token: string;
  readonly allowPrivate: boolean;
  readonly log: Logger;
  readonly metricsPort?: number | undefined;
  readonly nameServers?: readonly string[] | undefined;
  /** Where connections have their DNS ports: no tunnel leaves from there. */
  readonly dnsPorts?: PortRange;
  /** `auto`: the pump where it works. */
  readonly relay?: Mover['kind'] | 'auto';
  readonly limits?: Partial<Limits>;
  /** How many file descriptors to reckon with. Unset: the limit of this process. */
  readonly descriptors?: number;
}

export interface Gateway {
  readonly port: number;
  readonly address: string;
  readonly relay: Mover['kind'];
  readonly metrics: Metrics;
  /**
   * Stops accepting, lets tunnels finish for a while, cuts them and delivers the last totals.
   * @returns whether the control plane has all of them
   */
  close(options?: { drainMs: number }): Promise<boolean>;
  /** Shortens a running `close`: what still drains is cut now. */
  cutNow(): void;
}

const LOOPBACK = '127.0.0.1';

/** Starts a gateway. It listens whether or not the control plane can be reached yet. */
export async function startGateway(settings: GatewaySettings): Promise<Gateway> {
  const { log } = settings;
  const wanted: Limits = { ...defaultLimits, ...settings.limits };
  const descriptors = settings.descriptors ?? descriptorLimit();
  const limits = fitToDescriptors(wanted, descriptors);
  warnOfDescriptors(log, wanted, limits, descriptors);
  const runId = randomUUID();
  const metrics = createMetrics();
  const { nameServers, dnsPorts } = settings;
  const sourcePorts = new SourcePorts(dnsPorts ? [dnsPorts] : []);
  const mover = await openMover(settings.relay ?? 'auto', limits, log);
  const ownPorts = new Set<number>();
  const reserved = new ReservedAddresses({ controlUrl: settings.controlUrl, nameServers, log });
  reserved.refreshOwn();
  const policy: DestinationPolicy = {
    isPrivateAllowed: settings.allowPrivate,
    isOwnListener: ownListeners(ownPorts, () => reserved.own),
    isReserved: (address, port) => reserved.isReserved(address, port),
  };
  const { control, health } = openControl(settings, limits, metrics, runId);
  const greetings = new Greetings({ control, reserved, limits, log });
  const exits = new ExitWatch({
    lostAfterMs: limits.exitLostMs,
    // The look at the exits, once a second, is also the one at what customers must not reach.
    hostAddresses: () => reserved.refreshOwn(),
  });
  const reporter: Reporter = new Reporter(
    () => connections,
    control,
    limits,
    log,
    ({ exit }) => exits.isLost(exit.address),
  );
  const connections = new Connections({
    control,
    limits,
    log,
    reportSoon: (connection) => reporter.soon(connection),
    openExit: ({ address }) => createLocalAddressExit({ address, policy, limits, nameServers, sourcePorts }),
  });

  const descriptorWatch = new DescriptorWatch({
    log,
    counted: () => metrics.descriptorsExhausted.inc(),
    logEveryMs: limits.exhaustionLogMs,
  });
  const tunnels = new Set<Tunnel>();
  let isDraining = false;
  let drained: (() => void) | undefined;
  const context: GatewayContext = {
    limits,
    log,
    metrics,
    mover,
    connections,
    tunnels,
    exitSockets: new Set(),
    descriptors: descriptorWatch,
    loginGuard: new LoginGuard(limits),
    get isDraining() {
      return isDraining;
    },
    tunnelClosed: (tunnel, reason) => {
      tunnels.delete(tunnel);
      metrics.tunnelEnds.inc({ reason });
      if (tunnels.size === 0) drained?.();
    },
  };
  watch(metrics, context);
  const controlState = { health, reporter, greetings };
  watchControl(metrics, controlState);

  const metricsServer = await openMetrics(settings, metrics, ownPorts, () => healthOf(controlState));
  const publicPort = createPublicPort(context, createHttpProxy(context));
  const bound = await listen(publicPort.server, settings.port, settings.host).catch((error: unknown) => {
    metricsServer?.close();
    throw error;
  });
  // A failed accept (no descriptor is left) concerns one client alone.
  publicPort.server.on('error', (error) => log.error({ err: error }, 'A client could not be accepted'));
  ownPorts.add(bound.port);
  reporter.start();
  const stopDescriptorWatch = repeat({ log, task: 'descriptor watch', everyMs: limits.descriptorCheckMs }, () =>
    descriptorWatch.check(),
  );
  const stopExitWatch = repeat({ log, task: 'exit watch', everyMs: limits.exitCheckMs }, () =>
    exits.check(usedAddresses(connections.open)),
  );
  log.info({ address: bound.address, port: bound.port, relay: mover.kind, runId }, 'Gateway is ready');
  greetings.start();

  async function close({ drainMs } = { drainMs: 0 }): Promise<boolean> {
    isDraining = true;
    publicPort.server.close();
    if (tunnels.size > 0 && drainMs > 0) {
      log.info({ tunnels: tunnels.size, drainMs }, 'Waiting for tunnels to finish');
      await new Promise<void>((fulfil) => {
        const timer = setTimeout(fulfil, drainMs);
        drained = () => {
          clearTimeout(timer);
          fulfil();
        };
      });
    }
    connections.endAll('shutdown');
    publicPort.cutWaiting();
    const areDelivered = await deliverLastTotals();
    reporter.stop();
    stopExitWatch();
    stopDescriptorWatch();
    metrics.unwatchEventLoop();
    metricsServer?.close();
    metricsServer?.closeAllConnections();
    greetings.stop();
    log.info('Gateway has stopped');
    return areDelivered;
  }

  async function deliverLastTotals(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((fulfil) => {
      timer = setTimeout(fulfil, limits.lastReportMs);
    });
    await Promise.race([connections.allForgotten(), late]).finally(() => clearTimeout(timer));
    const missing = connections.ending.length;
    if (missing > 0) log.error({ connections: missing }, 'Last totals were not delivered');
    return missing === 0;
  }

  const cutNow = () => drained?.();
  return { port: bound.port, address: bound.address, relay: mover.kind, metrics, close, cutNow };
}

function openControl({ controlUrl, token, log }: GatewaySettings, limits: Limits, metrics: Metrics, runId: string) {
  const health = new ControlHealth(log);
  const control = new ControlClient({
    url: controlUrl,
    token,
    runId,
    timeoutMs: limits.controlRequestMs,
    observed: (seconds, outcome) => metrics.controlRequestSeconds.observe({ outcome }, seconds),
    refused: (call) => metrics.refusedCalls.inc({ call }),
    health,
  });
  return { control, health };
}

function openMover(kind: Mover['kind'] | 'auto', limits: Limits, log: Logger): Promise<Mover> | Mover {
  if (kind === 'streams') return streams;
  return kind === 'pump' ? createPump(limits.pumpBuffers) : chooseMover(limits.pumpBuffers, log);
}

function listen(server: Server | HttpServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((fulfil, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      fulfil(server.address() as AddressInfo);
    });
  });
}

function watch(metrics: Metrics, { tunnels, connections, mover, limits }: GatewayContext): void {
  metrics.relayInfo.set({ relay: mover.kind }, 1);
  metrics.watch('gateway_tunnels', 'Open tunnels', () => tunnels.size);
  metrics.watch('gateway_tunnels_max', 'Tunnels that this node may have', () => limits.tunnelsPerNode);
  metrics.watch('gateway_client_sockets_max', 'Client sockets that this node may have', () => {
    return limits.clientSocketsPerNode;
  });
  metrics.watch('gateway_connections', 'Connections open in this run', () => connections.open.length);
  metrics.watch('gateway_pump_buffers_in_use', 'Buffers that tunnels hold', () => mover.buffersInUse);
  metrics.watch('gateway_unacknowledged_connections', 'Connections whose last total is on its way', () => {
    return connections.ending.length;
  });
}

/** Served to this machine alone. */
async function openMetrics(
  { metricsPort: port, log }: GatewaySettings,
  metrics: Metrics,
  ownPorts: Set<number>,
  health: () => NodeHealth,
): Promise<HttpServer | undefined> {
  if (port === undefined) return undefined;
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/health') return answerHealth(health(), response);
    const isKnown = request.method === 'GET' && request.url === '/metrics';
    if (!isKnown) return response.writeHead(404).end();
    inBackground(log, 'metrics', answerMetrics(metrics, response));
    return response;
  });
  await listen(server, port, LOOPBACK);
  ownPorts.add(port);
  metrics.watchEventLoop();
  return server;
}

async function answerMetrics({ registry }: Metrics, response: ServerResponse): Promise<void> {
  const text = await registry.metrics();
  response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
}

function usedAddresses(connections: readonly Connection[]): Set<string> {
  return new Set(connections.flatMap(({ exit }) => (exit.address === null ? [] : [exit.address])));
}

import type { WatchResponse } from '@cellhop/contract/gateway';
import { randomUUID } from 'node:crypto';
import { Loop, repeat, settlesWithin } from './background.ts';
import { type CheckOptions, openChecks } from './checks/open-checks.ts';
import { Connections } from './connections/connections.ts';
import { Reporter } from './connections/reporter.ts';
import { ControlClient } from './control/control-client.ts';
import { ControlHealth } from './control/control-health.ts';
import { EndWatch } from './control/end-watch.ts';
import { NodeStatusReader } from './control/heartbeat.ts';
import { openHeartbeat } from './control/refused-list.ts';
import { descriptorLimit, DescriptorWatch, fitToDescriptors, warnAboutDescriptorLimit } from './descriptors.ts';
import { isPublicAddress } from './destination-policy.ts';
import { DnsPorts } from './dns/dns-ports.ts';
import type { DialOutcomes } from './exits/dial-outcomes.ts';
import type { Exit } from './exits/exit.ts';
import { type Exits, type ExitSettings, openExits } from './exits/exits.ts';
import { RefusedDestinations } from './exits/refused-destinations.ts';
import type { ReservedAddresses } from './exits/reserved-addresses.ts';
import { Flows } from './flows/flows.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { listen } from './listen.ts';
import { createHttpProxy } from './listeners/http-proxy.ts';
import { ClientSockets, type SocketLimit } from './listeners/client-sockets.ts';
import { KnownNetworks } from './listeners/known-networks.ts';
import type { ListenerContext } from './listeners/listener-context.ts';
import { LoginGuard } from './listeners/login-guard.ts';
import { WrongCredentials } from './listeners/wrong-credentials.ts';
import { createPublicPort } from './listeners/public-port.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openMetricsPort, watchControl, watchNode } from './monitoring.ts';
import type { Relay } from './pipe/pipe.ts';
import { openRelay } from './pipe/open-relay.ts';
import { type CertificateFiles, openCertificateFiles, type TlsSettings } from './tls/certificate-files.ts';
import { findSendRequest } from './udp/direct-send.ts';

export interface GatewaySettings extends ExitSettings, CheckOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly metricsPort?: number | undefined;
  /** Where these ports are reached if a NAT is in front of this node: at most one address of each family. */
  readonly publicAddresses?: readonly string[];
  /** `auto`: native code if there is any, otherwise the pump, if this version of Node supports it. */
  readonly relay?: Relay['kind'] | 'auto';
  /** Undefined: clients that speak TLS are refused. */
  readonly tls?: TlsSettings | undefined;
  /** The file of the native code. Unset: none. */
  readonly accelerator?: string | undefined;
  readonly limits?: Partial<Limits>;
  /** The limit of file descriptors. Unset: the limit of this process. */
  readonly descriptors?: number;
}

export interface Gateway {
  readonly port: number;
  readonly address: string;
  readonly metrics: Metrics;
  /**
   * Stops accepting, drains tunnels for `drainMs`, closes the rest and delivers the final totals.
   * @returns whether the control plane has acknowledged all of them
   */
  close(options?: { drainMs: number }): Promise<boolean>;
  /** Ends the draining of a running `close`: the remaining tunnels are closed now. */
  abortDrain(): void;
}

/** Starts a gateway. It listens even if the control plane is not available yet. */
export async function startGateway(settings: GatewaySettings): Promise<Gateway> {
  const { log } = settings;
  const limits = fitLimits(settings);
  const metrics = createMetrics();
  const runId = randomUUID();
  /** Filled when the listeners are bound. */
  const ownPorts = new Set<number>();
  const { control, health } = openControl(settings, limits, metrics, runId);
  const { dnsPorts, refused } = openDnsPorts(settings, limits, metrics);
  const relay = await openRelays(settings, limits);
  const partsOfExits = { limits, metrics, ownPorts, refused, assignedDnsPorts: dnsPorts, relay };
  const { exits, ownRoute, dialOutcomes, reserved, dialForChecks, dialForLinks, dialDestination, ...routes } =
    openExits(settings, partsOfExits);
  const knownNetworks = new KnownNetworks();
  const parts = { ...partsOfExits, control, exits, knownNetworks, destinationsChanged: () => heartbeat.request() };
  const { connections, reporter, endWatch, dnsPortList } = openConnections(settings, limits, parts);
  const certificate = await openCertificateFiles(settings.tls, log, metrics.watch);
  const context = openContext(settings, limits, { metrics, relay, connections, knownNetworks, certificate, ...routes });
  const status = new NodeStatusReader({ flows: context.flows, bytes: metrics.totalBytes, relay, certificate });
  const { heartbeat, refusedList } = openHeartbeat({ control, status, reserved, knownNetworks, refused, limits, log });
  const dials = { dialForChecks, dialForLinks, dialDestination, guard: routes.guardForChecks };
  const routesOfChecks = { exits, reserved, ...dials, ownRoute, dialOutcomes };
  const checks = openChecks(settings, limits, { control, heartbeat, metrics, connections, ...routesOfChecks });
  watchNode(context, connections);
  const controlState = { health, reporter, heartbeat, endWatch };
  watchControl(metrics, controlState);

  const publicPort = createPublicPort(context, createHttpProxy(context));
  const loops = [reporter, heartbeat, refusedList, endWatch, dnsPortList, checks];
  const stops = [...loops.map((loop) => () => loop.stop()), () => ownRoute.close()];
  const portClosers: (() => unknown)[] = [() => publicPort.stopAccepting()];
  if (settings.metricsPort !== undefined) {
    portClosers.push(await openMetricsPort(settings.metricsPort, { metrics, log, limits, control: controlState }));
    ownPorts.add(settings.metricsPort);
  }
  const { port, address } = await listen(publicPort.server, settings.port, settings.host, limits.portWaitMs).catch(
    (error: unknown) => {
      for (const stop of [...portClosers, ...stops]) stop();
      throw error;
    },
  );
  publicPort.listening();
  ownPorts.add(port);
  reporter.start();
  const hostParts = { certificate, dnsPorts, reserved, exits, dialOutcomes, usersOfExits: [connections, checks] };
  stops.push(...watchHost(context, hostParts));
  const isTlsServed = certificate.current !== undefined;
  log.info({ address, port, relay: relay.kind, isTlsServed, runId }, 'Gateway is ready');
  for (const loop of [refusedList, heartbeat, endWatch, dnsPortList, checks]) loop.start();

  async function close({ drainMs } = { drainMs: 0 }): Promise<boolean> {
    // Both ports at once: a successor starts while this node drains.
    for (const closePort of portClosers) closePort();
    const deadline = performance.now() + drainMs;
    connections.drain();
    await context.flows.drain(drainMs);
    await dnsPorts.drain(Math.max(0, deadline - performance.now()));
    connections.endAll('shutdown');
    dnsPorts.stop();
    const areRefused = settlesWithin(publicPort.closeWaiting(), limits.lingerMs);
    const areDelivered = await connections.waitForFinalTotals(limits.lastReportMs);
    await areRefused;
    for (const stop of stops) stop();
    log.info('Gateway stopped');
    return areDelivered;
  }

  return { port, address, metrics, close, abortDrain: () => context.flows.abortDrain() };
}

interface HostParts {
  readonly certificate: CertificateFiles;
  readonly dnsPorts: DnsPorts;
  readonly reserved: ReservedAddresses;
  readonly exits: Exits;
  readonly dialOutcomes: DialOutcomes;
  readonly usersOfExits: readonly { readonly exitsInUse: Iterable<Exit> }[];
}

/** Looks again and again at what may change on this host. @returns functions that stop it */
function watchHost(
  { descriptors, limits, log }: ReturnType<typeof openContext>,
  { certificate, dnsPorts, reserved, exits, dialOutcomes, usersOfExits }: HostParts,
): (() => void)[] {
  const { certificateCheckMs, descriptorCheckMs, dnsPortsCheckMs, exitCheckMs } = limits;
  return [
    repeat({ log, task: 'descriptor watch', everyMs: descriptorCheckMs }, () => descriptors.check()),
    repeat({ log, task: 'certificate', everyMs: certificateCheckMs }, () => certificate.refresh()),
    repeat({ log, task: 'DNS ports', everyMs: dnsPortsCheckMs }, () => dnsPorts.retry()),
    repeat({ log, task: 'exit watch', everyMs: exitCheckMs }, () => {
      reserved.refreshOwn();
      const inUse = new Set(usersOfExits.flatMap(({ exitsInUse }) => [...exitsInUse]));
      dialOutcomes.retain(inUse);
      return exits.check(inUse);
    }),
  ];
}

function fitLimits({ limits, descriptors = descriptorLimit(), log }: GatewaySettings): Limits {
  const wanted: Limits = { ...defaultLimits, ...limits };
  const fitted = fitToDescriptors(wanted, descriptors);
  warnAboutDescriptorLimit(log, wanted, fitted, descriptors);
  return fitted;
}

function openControl({ controlUrl, token, log }: GatewaySettings, limits: Limits, metrics: Metrics, runId: string) {
  const health = new ControlHealth(log);
  const control = new ControlClient({
    url: controlUrl,
    token,
    runId,
    timeoutMs: limits.controlRequestMs,
    addressTimeoutMs: limits.addressRequestMs,
    authorizationsAtOnce: limits.authorizationsAtOnce,
    onDuration: (seconds, outcome) => metrics.controlRequestSeconds.observe({ outcome }, seconds),
    onRefusal: (call) => metrics.refusedCalls.inc({ call }),
    health,
  });
  return { control, health };
}

interface ConnectionParts {
  readonly control: ControlClient;
  readonly exits: Exits;
  readonly metrics: Metrics;
  readonly knownNetworks: KnownNetworks;
  readonly assignedDnsPorts: DnsPorts;
  readonly refused: RefusedDestinations;
  readonly destinationsChanged: () => void;
}

function openConnections(
  settings: GatewaySettings,
  limits: Limits,
  { control, exits, metrics, knownNetworks, assignedDnsPorts: dnsPorts, refused, destinationsChanged }: ConnectionParts,
) {
  const { log } = settings;
  // Listed clients may use a DNS port before the first tunnel of its connection.
  const dnsPortList = new Loop(log, 'DNS port list', async () => {
    try {
      dnsPorts.list(await control.dnsPorts());
      return limits.dnsPortsRefreshMs;
    } catch {
      return limits.dnsPortsRetryMs; // The client has logged it.
    }
  });
  const onEnd = (reason: string) => metrics.connectionEnds.inc({ reason });
  const connections = new Connections({ control, limits, log, exits, onEnd, dnsPorts });
  dnsPorts.authorize = (port, client) => connections.authorizeDnsClient(port, client);
  refused.onChanged = () => {
    for (const connection of connections.open) connection.closeRefusedFlows(refused);
  };
  const onResponse = (response: WatchResponse) => {
    const { areAllowListsChanged, areDestinationsChanged = false, bought = [], ended, reasons = {} } = response;
    if (areAllowListsChanged) dnsPortList.request();
    if (areDestinationsChanged) destinationsChanged();
    knownNetworks.bought(bought);
    // What is recalled ends in this run alone.
    for (const id of ended) if (reasons[id] !== 'RECALLED') knownNetworks.ended(id);
    return connections.applyChanges(response) || areDestinationsChanged || bought.length > 0;
  };
  const endWatch = new EndWatch({ control, limits, log, onResponse });
  const reporter = new Reporter(connections, control, limits, log, () => endWatch.isHeld);
  return { connections, reporter, endWatch, dnsPortList };
}

/** DNS ports, and what they and tunnels refuse. */
function openDnsPorts({ host, allowPrivate, log }: GatewaySettings, limits: Limits, metrics: Metrics) {
  const refused = new RefusedDestinations();
  const isAddressAllowed = (bytes: Uint8Array) => allowPrivate || isPublicAddress(bytes);
  const isNameRefused = (name: string) => refused.refusesName(name);
  const context = { host, limits, metrics, log, isAddressAllowed, isNameRefused, tcpClients: { count: 0 } };
  const dnsPorts = new DnsPorts(context);
  metrics.watch('gateway_dns_ports', 'Open DNS ports', () => dnsPorts.open);
  metrics.watch('gateway_dns_ports_failed', 'DNS ports that could not be opened', () => dnsPorts.failed);
  metrics.watch('gateway_dns_tcp_clients', 'TCP clients of DNS ports', () => context.tcpClients.count);
  metrics.watch('gateway_refused_destinations', 'Destinations that the operator refuses', () => refused.size);
  return { dnsPorts, refused };
}

async function openRelays(settings: GatewaySettings, limits: Limits): Promise<Relay> {
  const isDirect = await findSendRequest();
  if (!isDirect) settings.log.warn('Datagrams are sent by Socket#send here, which takes more CPU time');
  return openRelay(settings, limits);
}

function openContext(
  { log, publicAddresses = [] }: GatewaySettings,
  limits: Limits,
  {
    knownNetworks,
    ...parts
  }: Pick<ListenerContext, 'metrics' | 'relay' | 'connections' | 'dial' | 'guard' | 'clientPorts' | 'certificate'> & {
    knownNetworks: KnownNetworks;
  },
) {
  const { metrics } = parts;
  const descriptors = new DescriptorWatch({
    log,
    onExhausted: () => metrics.descriptorsExhausted.inc(),
    logEveryMs: limits.exhaustionLogMs,
  });
  const observer = {
    closedFor: (limit: SocketLimit) => metrics.socketsClosed.inc({ limit }),
    authenticatedAfter: (seconds: number) => metrics.handshakeSeconds.observe(seconds),
  };
  const clients = new ClientSockets(limits, observer, knownNetworks);
  const flows = new Flows({ limits, metrics, log, clientSockets: () => clients.open });
  const addressGuard = new LoginGuard({
    loginFailuresPerMinute: limits.addressRefusalsPerMinute,
    loginBlockMs: limits.addressBlockMs,
    loginAddresses: limits.loginAddresses,
  });
  const loginGuard = new LoginGuard(limits);
  const guards = { loginGuard, addressGuard, wrongCredentials: new WrongCredentials(limits) };
  return { ...parts, limits, log, publicAddresses, descriptors, clients, flows, ...guards };
}

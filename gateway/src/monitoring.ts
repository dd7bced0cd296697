/** How operators watch a node: gauges of its parts, and metrics and health on a port of its own. */
import { createServer, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { inBackground } from './background.ts';
import type { Connections } from './connections/connections.ts';
import type { Reporter } from './connections/reporter.ts';
import type { ControlHealth } from './control/control-health.ts';
import type { EndWatch } from './control/end-watch.ts';
import type { Heartbeat } from './control/heartbeat.ts';
import type { Limits } from './limits.ts';
import { listen } from './listen.ts';
import type { ListenerContext } from './listeners/listener-context.ts';
import type { Metrics } from './metrics.ts';

const LOOPBACK = '127.0.0.1';

interface ControlState {
  readonly health: ControlHealth;
  readonly reporter: Reporter;
  readonly heartbeat: Heartbeat;
  readonly endWatch: EndWatch;
}

interface NodeHealth {
  readonly status: 'ok' | 'degraded';
  readonly controlPlane: ControlHealth['state'];
  readonly refusedConnections: number;
}

interface MetricsPortSettings {
  readonly metrics: Metrics;
  readonly control: ControlState;
  readonly log: Logger;
  readonly limits: Limits;
}

/**
 * Serves metrics and health on loopback only.
 * @returns a function that closes the port
 */
export async function openMetricsPort(
  port: number,
  { metrics, control, log, limits }: MetricsPortSettings,
): Promise<() => void> {
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/health') return sendHealth(readHealth(control), response);
    const isKnown = request.method === 'GET' && request.url === '/metrics';
    if (!isKnown) return response.writeHead(404).end();
    inBackground(log, 'metrics', sendMetrics(metrics, response));
    return response;
  });
  await listen(server, port, LOOPBACK, limits.portWaitMs);
  metrics.watchEventLoop();
  return () => {
    metrics.unwatchEventLoop();
    server.close();
    server.closeAllConnections();
  };
}

/** A node that cannot report its traffic is degraded: it can only use up its existing grants. */
function readHealth({ health, reporter }: ControlState): NodeHealth {
  const { refusedConnections } = reporter;
  const isHealthy = health.state === 'ok' && refusedConnections === 0;
  return { status: isHealthy ? 'ok' : 'degraded', controlPlane: health.state, refusedConnections };
}

function sendHealth(health: NodeHealth, response: ServerResponse): ServerResponse {
  response.writeHead(health.status === 'ok' ? 200 : 503, { 'Content-Type': 'application/json' });
  return response.end(JSON.stringify(health));
}

async function sendMetrics({ registry }: Metrics, response: ServerResponse): Promise<void> {
  const text = await registry.metrics();
  response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
}

export function watchNode(context: ListenerContext, connections: Connections): void {
  const { metrics, flows, clients, relay, limits, wrongCredentials } = context;
  const { watch } = metrics;
  metrics.watchRelay(() => relay.kind);
  watch('gateway_tunnels', 'Open tunnels', () => flows.size);
  watch('gateway_udp_associations', 'Open UDP associations, which are tunnels, too', () => flows.associations);
  const { associationsPerNode, tunnelsPerNode, clientSocketsPerNode } = limits;
  watch('gateway_udp_associations_max', 'Limit of UDP associations of this node', () => associationsPerNode);
  watch('gateway_tunnels_max', 'Limit of tunnels of this node', () => tunnelsPerNode);
  watch('gateway_half_open', 'Clients without valid credentials', () => clients.halfOpen);
  watch('gateway_wrong_credentials', 'Wrong pairs of username and password in memory', () => wrongCredentials.size);
  watch('gateway_known_networks', 'Networks where a client has authenticated, in memory', () => clients.knownNetworks);
  watch('gateway_client_sockets', 'Open client sockets', () => clients.open);
  const waiting = 'Client sockets without a tunnel or a running request';
  watch('gateway_client_sockets_waiting', waiting, () => clients.waiting);
  watch('gateway_client_sockets_max', 'Limit of client sockets of this node', () => clientSocketsPerNode);
  watch('gateway_connections', 'Open connections in this run', () => connections.open.length);
  watch('gateway_pump_buffers_in_use', 'Pooled buffers in use by tunnels', () => relay.buffersInUse);
  const accelerated = 'Tunnels whose bytes pass through native code now';
  watch('gateway_accelerated_tunnels', accelerated, () => relay.native?.tunnels ?? 0);
  watch('gateway_accelerator_pipes', 'Open pipes of native code', () => relay.native?.pipes ?? 0);
  const unacknowledged = 'Connections whose final total is not acknowledged yet';
  watch('gateway_unacknowledged_connections', unacknowledged, () => connections.ending.length);
}

export function watchControl({ watch }: Metrics, { health, reporter, heartbeat, endWatch }: ControlState): void {
  const isUp = () => (health.state === 'away' ? 0 : 1);
  watch('gateway_control_plane_up', '1 while the control plane is available', isUp);
  const version = 'Contract version of the control plane; 0: not known yet';
  watch('gateway_control_contract_version', version, () => heartbeat.controlPlaneVersion);
  const isHeld = '1 while the control plane holds the long poll for ended connections';
  watch('gateway_end_watch_active', isHeld, () => (endWatch.isHeld ? 1 : 0));
  const refused = 'Connections whose reports are refused while others are accepted';
  watch('gateway_refused_connections', refused, () => reporter.refusedConnections);
}

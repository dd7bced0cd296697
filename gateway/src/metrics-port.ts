import { createServer, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { inBackground } from './background.ts';
import { listen } from './listen.ts';
import type { Metrics } from './metrics.ts';
import type { NodeHealth } from './node-health.ts';

const LOOPBACK = '127.0.0.1';

interface MetricsPortSettings {
  readonly metrics: Metrics;
  readonly health: () => NodeHealth;
  readonly log: Logger;
}

/**
 * Serves metrics and health on loopback only.
 * @returns a function that closes the port
 */
export async function openMetricsPort(port: number, settings: MetricsPortSettings): Promise<() => void> {
  const { metrics, health, log } = settings;
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/health') return sendHealth(health(), response);
    const isKnown = request.method === 'GET' && request.url === '/metrics';
    if (!isKnown) return response.writeHead(404).end();
    inBackground(log, 'metrics', sendMetrics(metrics, response));
    return response;
  });
  await listen(server, port, LOOPBACK);
  metrics.watchEventLoop();
  return () => {
    metrics.unwatchEventLoop();
    server.close();
    server.closeAllConnections();
  };
}

function sendHealth(health: NodeHealth, response: ServerResponse): ServerResponse {
  response.writeHead(health.status === 'ok' ? 200 : 503, { 'Content-Type': 'application/json' });
  return response.end(JSON.stringify(health));
}

async function sendMetrics({ registry }: Metrics, response: ServerResponse): Promise<void> {
  const text = await registry.metrics();
  response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
}

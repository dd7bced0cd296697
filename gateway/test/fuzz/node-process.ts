/** The gateway of a fuzz run, in a process of its own: its heap and its descriptors are nobody else's. */
import { existsSync, readdirSync } from 'node:fs';
import { pino } from 'pino';
import { type GatewaySettings, startGateway } from '../../src/gateway.ts';

export interface Measured {
  readonly heapBytes: number;
  readonly descriptors: number;
  /** Of all gauges and counters without labels by name, and `gateway_bytes_total` by its labels. */
  readonly values: Readonly<Record<string, number>>;
}

const DESCRIPTORS = '/proc/self/fd';
const COLLECTIONS = 3;

const settings = JSON.parse(process.env['GATEWAY_SETTINGS'] ?? '{}') as Pick<GatewaySettings, 'controlUrl' | 'token'>;
const gateway = await startGateway({
  host: '127.0.0.1',
  port: 0,
  allowPrivate: true,
  log: pino({ level: 'error' }, pino.destination({ sync: true })),
  ...settings,
});

process.on('message', (message) => {
  if (message === 'measure') void measure().then((measured) => process.send?.(measured));
});
process.once('disconnect', () => process.exit(0));
process.send?.({ port: gateway.port });

async function measure(): Promise<Measured> {
  const values: Record<string, number> = {};
  for (const metric of await gateway.metrics.registry.getMetricsAsJSON())
    for (const { value, labels } of metric.values as { value: number; labels: Record<string, string> }[])
      values[[metric.name, ...Object.values(labels)].join(' ')] = value;
  for (let count = 0; count < COLLECTIONS; count += 1) {
    globalThis.gc?.();
    await new Promise(setImmediate); // What was closed in the last turn is freed in this one.
  }
  return { heapBytes: process.memoryUsage().heapUsed, descriptors: countDescriptors(), values };
}

/** Elsewhere than on Linux: what the event loop holds. */
function countDescriptors(): number {
  return existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS).length : process.getActiveResourcesInfo().length;
}

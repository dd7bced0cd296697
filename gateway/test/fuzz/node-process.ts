/** The gateway of a fuzz run, in a separate process, so that its heap and descriptors can be measured. */
import { existsSync, readdirSync } from 'node:fs';
import { pino } from 'pino';
import { acceleratorFile } from '../accelerator.ts';
import { type GatewaySettings, startGateway } from '../../src/gateway.ts';

export interface Measurement {
  readonly heapBytes: number;
  readonly descriptors: number;
  /** Values of gauges and counters, by name and label values. */
  readonly values: Readonly<Record<string, number>>;
}

const DESCRIPTORS = '/proc/self/fd';
const COLLECTIONS = 3;

const settings = JSON.parse(process.env['GATEWAY_SETTINGS'] ?? '{}') as Pick<
  GatewaySettings,
  'controlUrl' | 'token' | 'relay'
>;
const gateway = await startGateway({
  host: '127.0.0.1',
  port: 0,
  allowPrivate: true,
  accelerator: acceleratorFile,
  log: pino({ level: 'error' }, pino.destination({ sync: true })),
  ...settings,
});

process.on('message', (message) => {
  if (message === 'measure') void measure().then((measurement) => process.send?.(measurement));
});
process.once('disconnect', () => process.exit(0));
process.send?.({ port: gateway.port });

async function measure(): Promise<Measurement> {
  const values: Record<string, number> = {};
  for (const metric of await gateway.metrics.registry.getMetricsAsJSON())
    for (const { value, labels } of metric.values as { value: number; labels: Record<string, string> }[])
      values[[metric.name, ...Object.values(labels)].join(' ')] = value;
  for (let count = 0; count < COLLECTIONS; count += 1) {
    globalThis.gc?.();
    await new Promise(setImmediate); // Objects closed in the previous turn can be collected now.
  }
  return { heapBytes: process.memoryUsage().heapUsed, descriptors: countDescriptors(), values };
}

/** On other systems than Linux: the active resources of the event loop. */
function countDescriptors(): number {
  return existsSync(DESCRIPTORS) ? readdirSync(DESCRIPTORS).length : process.getActiveResourcesInfo().length;
}

/** A gateway in a separate process. A test passes its settings as JSON; it logs to standard output. */
import { pino } from 'pino';
import { acceleratorFile } from './accelerator.ts';
import { type GatewaySettings, startGateway } from '../src/gateway.ts';

const settings = JSON.parse(process.env['GATEWAY_SETTINGS'] ?? '{}') as Pick<
  GatewaySettings,
  'controlUrl' | 'token' | 'relay'
>;
await startGateway({
  host: '127.0.0.1',
  port: 0,
  allowPrivate: true,
  accelerator: acceleratorFile,
  log: pino(pino.destination({ sync: true })),
  ...settings,
});

// With --expose-gc it prints the memory in use after a collection.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ usedBytes: heapUsed + external })}\n`);
});

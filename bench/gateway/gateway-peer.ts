/** The gateway in a separate process, with limits above what the benchmark can reach. */
import { pino } from 'pino';
import { startGateway } from '../../gateway/src/gateway.ts';

const { port, relay, metrics } = await startGateway({
  host: '127.0.0.1',
  port: 0,
  controlUrl: process.env['CONTROL_URL'] ?? '',
  token: process.env['CONTROL_TOKEN'] ?? '',
  allowPrivate: true,
  log: pino({ level: 'warn' }),
  limits: {
    newTunnelsPerSecond: 1e6,
    newTunnelsBurst: 1e6,
    datagramsPerSecond: 1e9,
    halfOpenPerNetwork: 1e4,
    tunnelsPerConnection: 1e4,
    clientSocketsPerConnection: 1e4,
  },
});
process.on('message', () => {
  void Promise.all([metrics.grantWaits.get(), metrics.grantWaitSeconds.get()]).then(([waits, seconds]) =>
    process.send?.({ count: waits.values[0]?.value ?? 0, seconds: seconds.values[0]?.value ?? 0 }),
  );
});
process.send?.({ port, relay });

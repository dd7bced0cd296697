/** The gateway in a separate process, with limits above what the benchmark can reach. */
import { pino } from 'pino';
import { startGateway } from '../../gateway/src/gateway.ts';

const { port, metrics } = await startGateway({
  host: '127.0.0.1',
  port: 0,
  controlUrl: process.env['CONTROL_URL'] ?? '',
  token: process.env['CONTROL_TOKEN'] ?? '',
  allowPrivate: true,
  accelerator: process.env['ACCELERATOR'],
  log: pino({ level: 'warn' }),
  // Otherwise one connection could have a fourth of the tunnels that the descriptors of this machine allow.
  descriptors: 100_000,
  nameServers: process.env['NAME_SERVER']?.split(','),
  limits: {
    newTunnelsPerSecond: 1e6,
    newTunnelsBurst: 1e6,
    datagramsPerSecond: 1e9,
    halfOpenPerNetwork: 1e4,
    tunnelsPerConnection: 1e4,
    clientSocketsPerConnection: 1e4,
    dnsQuestionsPerSecond: 1e6,
    dnsQuestionsBurst: 1e6,
    dnsQuestionsPerSecondPerClient: 1e6,
    dnsQuestionsBurstPerClient: 1e6,
    dnsQuestionsInFlight: 1e4,
  },
});
process.on('message', () => {
  void Promise.all([metrics.grantWaits.get(), metrics.grantWaitSeconds.get()]).then(([waits, seconds]) =>
    process.send?.({ count: waits.values[0]?.value ?? 0, seconds: seconds.values[0]?.value ?? 0 }),
  );
});
const [, relay] = /^gateway_relay_info\{relay="(\w+)"\}/m.exec(await metrics.registry.metrics()) ?? [];
process.send?.({ port, relay });

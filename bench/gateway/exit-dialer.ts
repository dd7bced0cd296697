/** Dials from an exit's address for a fixed time, with the gateway's port sequence or with ports chosen by the system. */
import { defaultLimits } from '../../gateway/src/limits.ts';
import { DialAbort } from '../../gateway/src/exits/exit.ts';
import { LocalAddressExit } from '../../gateway/src/exits/local-address.ts';
import { SourcePorts } from '../../gateway/src/exits/source-ports.ts';

export interface DialStep {
  readonly ports: 'system' | 'sequence';
  readonly originPort: number;
  readonly milliseconds: number;
}

export interface DialResult {
  readonly dials: number;
  readonly errors: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

const WORKERS = 16;
const sequence = new SourcePorts([{ first: 20_000, last: 20_999 }]);
/** Separate addresses, so that the connections of one kind do not affect the other. */
const kinds = {
  system: { address: '127.0.0.2', sourcePorts: { next: () => 0 } },
  sequence: { address: '127.0.0.3', sourcePorts: sequence },
};
const hostAddresses = () => new Set<string>();
const upstreamBudget = { socketsMax: 0, sockets: 0, idle: new Set<{ close(): void }>(), onEvent: () => {} };

process.on('message', (step: DialStep) => {
  void run(step).then((result) => process.send?.(result));
});
process.send?.('ready');

async function run({ ports, originPort, milliseconds }: DialStep): Promise<DialResult> {
  const settings = { limits: defaultLimits, nameServers: undefined, hostAddresses, upstreamBudget };
  const exit = new LocalAddressExit({ ...kinds[ports], ...settings });
  const destination = { address: Uint8Array.of(127, 0, 0, 1), port: originPort };
  const counts = { dials: 0, errors: 0 };
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
  const worker = async () => {
    while (performance.now() < startedAt + milliseconds) {
      try {
        const { side } = await exit.connect(destination, defaultLimits.dialMs, new DialAbort());
        counts.dials += 1;
        // This side closes first, as a gateway does when its client disconnects: TIME_WAIT stays here for a minute.
        side.open({ data: () => true, ended: () => {}, failed: () => {}, closed: () => {} });
        side.end();
        side.resume();
      } catch {
        counts.errors += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { ...counts, seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (user + system) / 1e6 };
}

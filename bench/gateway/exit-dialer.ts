/** Dials from an exit's address for a fixed time: by ports in turn, or, as it used to be, by ports that the system searches. */
import { defaultLimits } from '../../gateway/src/limits.ts';
import { DialAbort } from '../../gateway/src/exits/dial-abort.ts';
import { createLocalAddressExit } from '../../gateway/src/exits/local-address.ts';
import { SourcePorts } from '../../gateway/src/exits/source-ports.ts';

export interface DialStep {
  readonly ports: 'searched' | 'in turn';
  readonly originPort: number;
  readonly milliseconds: number;
}

export interface DialResult {
  readonly dials: number;
  readonly errors: number;
  readonly seconds: number;
  readonly processorSeconds: number;
}

const WORKERS = 16;
const inTurn = new SourcePorts([{ first: 20_000, last: 20_999 }]);
/** Addresses of their own, so that the connections of one kind are nothing to the other. */
const kinds = {
  searched: { address: '127.0.0.2', sourcePorts: { next: () => 0 } },
  'in turn': { address: '127.0.0.3', sourcePorts: inTurn },
};

process.on('message', (step: DialStep) => {
  void run(step).then((result) => process.send?.(result));
});
process.send?.('ready');

async function run({ ports, originPort, milliseconds }: DialStep): Promise<DialResult> {
  const policy = { isPrivateAllowed: true, isOwnListener: () => false, isReserved: () => false };
  const exit = createLocalAddressExit({ ...kinds[ports], policy, limits: defaultLimits, nameServers: undefined });
  const target = { host: { kind: 'address', bytes: Uint8Array.of(127, 0, 0, 1) }, port: originPort } as const;
  const counts = { dials: 0, errors: 0 };
  const [startedAt, processorBefore] = [performance.now(), process.cpuUsage()];
  const worker = async () => {
    while (performance.now() < startedAt + milliseconds) {
      try {
        const socket = await exit.dial(target, new DialAbort());
        counts.dials += 1;
        // This side ends first, as a gateway does for a client that leaves: TIME_WAIT stays here for a minute.
        socket.end().resume();
      } catch {
        counts.errors += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  const { user, system } = process.cpuUsage(processorBefore);
  return { ...counts, seconds: (performance.now() - startedAt) / 1000, processorSeconds: (user + system) / 1e6 };
}

/**
 * The cost of a dial from an exit with an address while tens of thousands of old connections are in TIME_WAIT: the gateway's
 * port sequence compared with ports chosen by the system. Both alternate in one run. The relevant figure is the CPU time of
 * the dialling process; the rate is valid only if the origin was not the bottleneck.
 */
import { request, build, killAll, OTHER_CORE, cpuSeconds, PROXY_CORE, start } from './processes.ts';
import type { DialResult, DialStep } from './exit-dialer.ts';

const STEPS = Number(process.env['BENCH_STEPS'] ?? 9);
const STEP_MS = 2_000;
const kinds = ['system', 'sequence'] as const;

interface Measurement extends DialResult {
  /** Utilisation of the origin's core. */
  readonly originShare: number;
}

try {
  await main();
} finally {
  killAll();
}
process.exit(0);

async function main(): Promise<void> {
  build('exit-origin', 'exit-dialer');
  const origin = await start<{ port: number }>('exit-origin', OTHER_CORE);
  const dialer = await start('exit-dialer', PROXY_CORE);
  const totals = { system: 0, sequence: 0 };
  for (let step = 1; step <= STEPS; step += 1) {
    const measurement = new Map<DialStep['ports'], Measurement>();
    for (const ports of kinds) {
      const originBefore = cpuSeconds(origin.processId);
      const dialStep: DialStep = { ports, originPort: origin.ready.port, milliseconds: STEP_MS };
      const result = await request<DialResult>(dialer.child, dialStep);
      if (result.errors > 0) console.log(`  ${result.errors} errors, ports ${ports}`);
      totals[ports] += result.dials;
      const originShare = (cpuSeconds(origin.processId) - originBefore) / result.seconds;
      measurement.set(ports, { ...result, originShare });
    }
    const [system, sequence] = kinds.map((ports) => measurement.get(ports)!);
    const ratio = (cost(system!) / cost(sequence!)).toFixed(2);
    console.log(`step ${step}: ${describe('system', system!)}; ${describe('sequence', sequence!)}; CPU ratio ${ratio}`);
  }
  console.log(`total dials: system ${totals.system}, sequence ${totals.sequence}`);
}

function cost({ cpuSeconds: seconds, dials }: DialResult): number {
  return (seconds / dials) * 1e6;
}

function describe(name: string, measurement: Measurement): string {
  const { dials, seconds, originShare } = measurement;
  const rate = (dials / seconds).toFixed(0);
  return `${name} ${rate}/s, ${cost(measurement).toFixed(0)} us CPU each, origin at ${(100 * originShare).toFixed(0)} %`;
}

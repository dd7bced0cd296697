/**
 * What a dial from an exit with an address costs while tens of thousands of old connections are in TIME_WAIT: source
 * ports in turn beside ports that the system searches, as it used to be. Both take turns in one run; what the process that
 * dials needs of its core is believed, and the rate only where the origin was not the bottleneck.
 */
import { ask, build, endAll, OTHER_CORE, processorSeconds, PROXY_CORE, start } from './processes.ts';
import type { DialResult, DialStep } from './exit-dialer.ts';

const STEPS = Number(process.env['BENCH_STEPS'] ?? 9);
const STEP_MS = 2_000;
const kinds = ['searched', 'in turn'] as const;

interface Measured extends DialResult {
  /** Part of a core. */
  readonly originShare: number;
}

try {
  await main();
} finally {
  endAll();
}
process.exit(0);

async function main(): Promise<void> {
  build('exit-origin', 'exit-dialer');
  const origin = await start<{ port: number }>('exit-origin', OTHER_CORE);
  const dialer = await start('exit-dialer', PROXY_CORE);
  const totals = { searched: 0, 'in turn': 0 };
  for (let step = 1; step <= STEPS; step += 1) {
    const measured = new Map<DialStep['ports'], Measured>();
    for (const ports of kinds) {
      const originBefore = processorSeconds(origin.processId);
      const question: DialStep = { ports, originPort: origin.ready.port, milliseconds: STEP_MS };
      const result = await ask<DialResult>(dialer.child, question);
      if (result.errors > 0) console.log(`  ${result.errors} errors, ports ${ports}`);
      totals[ports] += result.dials;
      const originShare = (processorSeconds(origin.processId) - originBefore) / result.seconds;
      measured.set(ports, { ...result, originShare });
    }
    const [old, present] = kinds.map((ports) => measured.get(ports)!);
    const ratio = (cost(old!) / cost(present!)).toFixed(2);
    console.log(`step ${step}: ${describe('searched', old!)}; ${describe('in turn', present!)}; CPU ratio ${ratio}`);
  }
  console.log(`dials in all: searched ${totals.searched}, in turn ${totals['in turn']}`);
}

function cost({ processorSeconds: seconds, dials }: DialResult): number {
  return (seconds / dials) * 1e6;
}

function describe(name: string, measured: Measured): string {
  const { dials, seconds, originShare } = measured;
  const rate = (dials / seconds).toFixed(0);
  return `${name} ${rate}/s, ${cost(measured).toFixed(0)} us CPU each, origin at ${(100 * originShare).toFixed(0)} %`;
}

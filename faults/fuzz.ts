/**
 * Sends a million inputs to the public port of a real gateway: valid and mutated SOCKS5 and HTTP, split, pipelined, slow, and
 * from disconnecting clients. docs/gateway.md describes the checks.
 *
 * Usage: npm run fuzz -- [inputs=1000000] [seed=1] [batch=50000] [first=0] [ports=ORIGIN,GATEWAY]
 *   [relay=splice|pump|streams]
 * With kind=relays [inputs=20000] [seed=1] [first=0] it plays tunnels through a gateway with and one without native code instead, and compares all that
 * customers and the operator can see.
 * Each fault is printed at once, with the arguments that replay its input alone.
 */
import { fuzz } from '../gateway/test/fuzz/fuzz.ts';
import { compareRelays } from '../gateway/test/fuzz/relays/relays.ts';
import type { Relay } from '../gateway/src/pipe/pipe.ts';
import type { FuzzReport } from '../gateway/test/fuzz/settings.ts';

const DIALLED_SHARE_MIN = 0.2;
const RELAY_INPUTS = 20_000;
const USAGE =
  'npm run fuzz -- [inputs=1000000] [seed=1] [batch=50000] [first=0] [ports=ORIGIN,GATEWAY] [relay=splice|pump|streams], or kind=relays [inputs=20000] [seed=1] [first=0]';
const printing = { progress: (line: string) => console.log(line), faulted: (fault: string) => console.error(fault) };

const { kind, ...settings } = readArguments(process.argv.slice(2));
console.log(`seed=${settings.seed}`);
if (kind === 'relays') process.exit(await runRelays());
const report = await fuzz({ ...settings, ...printing });
print(report);
const isShareReached = settings.inputs === 1 || report.dialled >= report.inputs * DIALLED_SHARE_MIN;
if (!isShareReached) console.error(`fewer than ${100 * DIALLED_SHARE_MIN} % reached the dial`);
process.exit(report.faults.length === 0 && isShareReached ? 0 : 1);

/** @returns the exit code */
async function runRelays(): Promise<number> {
  const { inputs, seed, first } = settings;
  const report = await compareRelays({ seed, first, inputs, ...printing });
  for (const [name, count] of [...report.byKind].sort(([one], [other]) => one.localeCompare(other)))
    console.log(`${name}: ${count} cases`);
  console.log(`${report.inputs} cases in ${Math.round(report.seconds)} s`);
  console.log(`native code had ${report.acceleratedMax} tunnels at most`);
  console.log(`${report.faults.length} faults`);
  return report.faults.length === 0 && report.acceleratedMax > 0 ? 0 : 1;
}

function print({ inputs, seconds, dialled, byKind, before, after, heapBytesMax, slowest, faults }: FuzzReport): void {
  for (const [kind, counts] of [...byKind].sort(([one], [other]) => one.localeCompare(other)))
    console.log(`${kind}: ${counts.inputs} inputs, ${percent(counts.dialled, counts.inputs)} reached the dial`);
  console.log(`${inputs} inputs in ${Math.round(seconds)} s, ${percent(dialled, inputs)} reached the dial`);
  console.log(
    `heap ${megabytes(before.heapBytes)} before, ${megabytes(after.heapBytes)} after, ${megabytes(heapBytesMax)} at most`,
  );
  console.log(`the slowest input (${slowest.what}) took ${(slowest.milliseconds / 1000).toFixed(1)} s`);
  console.log(`descriptors ${before.descriptors} before, ${after.descriptors} after`);
  console.log(`${faults.length} faults`);
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

function readArguments(given: readonly string[]) {
  const values = new Map<string, string>();
  for (const argument of given) {
    const [, name = '', value = ''] =
      /^(inputs|seed|batch|first)=(\d+)$/.exec(argument) ??
      /^(ports)=(\d+,\d+)$/.exec(argument) ??
      /^(relay)=(splice|pump|streams)$/.exec(argument) ??
      /^(kind)=(relays)$/.exec(argument) ??
      [];
    if (name === '') {
      console.error(`"${argument}" is unknown: ${USAGE}`);
      process.exit(1);
    }
    values.set(name, value);
  }
  const relay = values.get('relay') as Relay['kind'] | undefined;
  const [origin, gateway] = (values.get('ports') ?? '').split(',').map(Number);
  const kind = values.get('kind');
  return {
    kind,
    inputs: Number(values.get('inputs') ?? (kind === 'relays' ? RELAY_INPUTS : 1_000_000)),
    seed: Number(values.get('seed') ?? 1),
    batch: Number(values.get('batch') ?? 50_000),
    first: Number(values.get('first') ?? 0),
    ...(relay && { relay }),
    ...(origin !== undefined && gateway !== undefined ? { ports: [origin, gateway] as const } : {}),
  };
}

import { GATEWAY_CONNECT, GATEWAY_SOCKS5, type Program } from './programs.ts';
import type { Row } from './rows.ts';
import type { Sample } from './stream-load.ts';

export interface Measurement {
  readonly row: Row;
  readonly program: Program;
  readonly round: number;
  readonly sample: Sample;
}
type Measurements = readonly Measurement[];

/** Above this share of its core the load is the bottleneck. */
const LOAD_SHARE_MAX = 0.8;
/** Above this share of the rate without a proxy, rates say more about load and kernel than about a program. */
const CPU_ONLY_SHARE = 0.5;
const NO_PROXY = 'no proxy';

const tables: readonly { title: string; units: readonly Row['unit'][] }[] = [
  { title: 'Streams: MB/s (core of the load); CPU seconds per GB', units: ['MB'] },
  { title: 'Connections: per second (core of the load); CPU microseconds each', units: ['tunnel', 'request'] },
  { title: 'Latency, p50 / p99 in us; memory in KB', units: ['message', 'memory'] },
];

/** Prints tables in Markdown: medians of each program, then the gateway compared with each. */
export function report(measurements: Measurements, rows: readonly Row[], programs: readonly Program[]): void {
  for (const { title, units } of tables) {
    const shown = rows.filter(({ unit }) => units.includes(unit));
    if (shown.length > 0) printTable(title, measurements, shown, programs);
  }
  const shares = measurements.map(({ sample }) => 100 * sample.foreignShare);
  const [middle, most] = [median(shares), Math.max(...shares)].map((share) => share.toFixed(0));
  console.log(`\nForeign load: median ${middle} %, maximum ${most} % of one core.`);
}

function printTable(
  title: string,
  measurements: Measurements,
  rows: readonly Row[],
  programs: readonly Program[],
): void {
  const find = (name: string, row: Row) =>
    measurements.filter((each) => each.program.name === name && each.row.title === row.title);
  console.log(`\n${title}\n`);
  printLine(['Program', ...rows.map((row) => row.title)]);
  printLine(['---', ...rows.map(() => '---')]);
  for (const { name } of programs) printLine([name, ...rows.map((row) => cell(find(name, row), find(NO_PROXY, row)))]);
  for (const { name, via } of programs.filter((each) => !each.name.startsWith('gateway') && each.name !== NO_PROXY)) {
    // Forwarders speak no protocol of their own.
    const ours = via === 'connect' ? GATEWAY_CONNECT : GATEWAY_SOCKS5;
    const ratios = rows.map((row) => ratioCell(find(ours, row), find(name, row), find(NO_PROXY, row)));
    printLine([`${ours} / ${name}`, ...ratios]);
  }
}

function printLine(cells: readonly string[]): void {
  if (cells.slice(1).some(Boolean)) console.log(`| ${cells.join(' | ')} |`);
}

function cell(list: Measurements, withoutProxy: Measurements): string {
  const [first] = list;
  if (!first) return '';
  if (list.some(({ sample }) => sample.errors > 0)) return 'invalid: errors';
  const text = (key: keyof Sample) => medianOf(list, key).toFixed(medianOf(list, key) < 10 ? 2 : 0);
  if (first.row.unit === 'memory') return `${text('kilobytes')}${rangeOf(list.map(({ sample }) => sample.kilobytes))}`;
  if (first.row.unit === 'message') return `${text('p50Micros')} / ${text('p99Micros')}`;
  const load = `${(100 * medianOf(list, 'loadShare')).toFixed(0)} %`;
  if (first.program.name === NO_PROXY) return `${text('perSecond')} (${load})`;
  const fault = rateFault(list, withoutProxy);
  return `${text('perSecond')} (${[load, ...(fault ? [fault] : [])].join(', ')}); ${text('cpu')}`;
}

/** @returns why the rate is no figure of the program; undefined if it is one */
function rateFault(list: Measurements, withoutProxy: Measurements): 'invalid' | 'CPU alone' | undefined {
  if (medianOf(list, 'loadShare') > LOAD_SHARE_MAX) return 'invalid';
  const isFast = medianOf(list, 'perSecond') > CPU_ONLY_SHARE * medianOf(withoutProxy, 'perSecond');
  return isFast ? 'CPU alone' : undefined;
}

function ratioCell(ours: Measurements, theirs: Measurements, withoutProxy: Measurements): string {
  const unit = ours[0]?.row.unit;
  const areValid = [...ours, ...theirs].every(({ sample }) => sample.errors === 0);
  if (unit === undefined || theirs.length === 0 || !areValid) return '';
  const ratio = (key: keyof Sample) => {
    const ratios = ours.flatMap(({ round, sample }) =>
      theirs.filter((each) => each.round === round).map((other) => sample[key] / other.sample[key]),
    );
    return `${median(ratios).toFixed(2)}${rangeOf(ratios)}`;
  };
  if (unit === 'memory') return ratio('kilobytes');
  if (unit === 'message') return `${ratio('p50Micros')} / ${ratio('p99Micros')}`;
  const isRateValid = [ours, theirs].every((list) => rateFault(list, withoutProxy) === undefined);
  return `${isRateValid ? `${ratio('perSecond')}; ` : ''}CPU ${ratio('cpu')}`;
}

const rangeOf = (values: readonly number[]) =>
  values.length > 1 ? ` (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})` : '';

const medianOf = (list: Measurements, key: keyof Sample) => median(list.map(({ sample }) => sample[key]));

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

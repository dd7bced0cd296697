import type { Step } from './load.ts';

export interface Peer {
  readonly name: string;
  readonly via: Step['via'];
  readonly port: number;
  readonly processId: number | undefined;
  /** Number and duration of its tunnels' waits for a grant so far. */
  grantWaits(): Promise<Waits>;
}

export interface Waits {
  readonly count: number;
  /** Sum over all tunnels. */
  readonly seconds: number;
}

export interface Sample {
  readonly bulk: number;
  readonly tunnels: number;
  /** CPU seconds of the proxy per gigabyte. */
  readonly secondsPerGigabyte: number;
  readonly grantWaits: Waits;
  /** Sum of the durations of all streams of the bulk step. */
  readonly streamSeconds: number;
}

const ratioKeys = ['bulk', 'tunnels', 'secondsPerGigabyte'] as const;

/** A single stream. */
export interface StreamSample {
  readonly name: string;
  readonly bytesPerSecond: number;
  readonly seconds: number;
  readonly grantWaits: Waits;
}

export function report(samples: Map<string, Sample[]>, streams: readonly StreamSample[]): void {
  console.log('\nMedians (absolute figures depend on this machine):');
  for (const [name, list] of samples) {
    const megabytes = median(list.map(({ bulk }) => bulk / 1e6)).toFixed(0);
    const tunnels = median(list.map((sample) => sample.tunnels)).toFixed(0);
    const seconds = median(list.map(({ secondsPerGigabyte }) => secondsPerGigabyte)).toFixed(2);
    const cost = name === 'no proxy' ? '' : `, ${seconds} CPU s/GB`;
    const waits = list.map(({ grantWaits, streamSeconds }) => ({ grantWaits, seconds: streamSeconds }));
    const stalls = name.startsWith('gateway') ? `, ${waitText(waits)}` : '';
    console.log(`  ${name.padEnd(28)} ${megabytes} MB/s bulk, ${tunnels} new tunnels/s${cost}${stalls}`);
  }
  console.log('\nOne connection with one stream through the gateway:');
  for (const name of new Set(streams.map((stream) => stream.name))) {
    const list = streams.filter((stream) => stream.name === name);
    const megabytes = median(list.map(({ bytesPerSecond }) => bytesPerSecond / 1e6)).toFixed(0);
    console.log(`  ${name.padEnd(28)} ${megabytes} MB/s, ${waitText(list)}`);
  }
  console.log('\nRatios within rounds, median (min..max):');
  const pairs = [
    ['gateway, CONNECT', 'proxy-chain, CONNECT'],
    ['gateway, SOCKS5', 'proxy-chain, CONNECT'],
    ['gateway, SOCKS5', 'dante, SOCKS5'],
    ['gateway, CONNECT', 'no proxy'],
  ] as const;
  for (const [ours, theirs] of pairs) {
    if (!samples.has(theirs)) continue;
    const line = ratioKeys
      .filter((key) => key !== 'secondsPerGigabyte' || theirs !== 'no proxy')
      .map((key) => `${key} ${ratio(samples.get(ours) ?? [], samples.get(theirs) ?? [], key)}`);
    console.log(`  ${ours} / ${theirs}: ${line.join(', ')}`);
  }
}

/** The wait share: the part of the streams' time in which they waited for the control plane. */
function waitText(list: readonly { readonly grantWaits: Waits; readonly seconds: number }[]): string {
  const sum = (pick: (each: (typeof list)[number]) => number) => list.reduce((total, each) => total + pick(each), 0);
  const share = sum(({ grantWaits }) => grantWaits.seconds) / sum(({ seconds }) => seconds);
  return `wait share ${(100 * share).toFixed(2)} % (${sum(({ grantWaits }) => grantWaits.count)} waits)`;
}

function ratio(ours: Sample[], theirs: Sample[], key: (typeof ratioKeys)[number]): string {
  const ratios = ours.map((sample, round) => sample[key] / (theirs[round]?.[key] ?? Number.NaN));
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}..${Math.max(...ratios).toFixed(2)})`;
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

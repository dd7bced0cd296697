import type { Step } from './load.ts';

export interface Peer {
  readonly name: string;
  readonly via: Step['via'];
  readonly port: number;
  readonly processId: number | undefined;
  /** How often its tunnels have waited for a grant so far. */
  grantWaits(): Promise<number>;
}

export interface Sample {
  readonly bulk: number;
  readonly tunnels: number;
  /** Processor seconds of the proxy per gigabyte. */
  readonly secondsPerGigabyte: number;
  readonly grantWaits: number;
}

export function report(samples: Map<string, Sample[]>): void {
  console.log('\nMedians (absolute figures are this machine, now):');
  for (const [name, list] of samples) {
    const megabytes = median(list.map(({ bulk }) => bulk / 1e6)).toFixed(0);
    const tunnels = median(list.map((sample) => sample.tunnels)).toFixed(0);
    const seconds = median(list.map(({ secondsPerGigabyte }) => secondsPerGigabyte)).toFixed(2);
    const cost = name === 'no proxy' ? '' : `, ${seconds} CPU s/GB`;
    const waits = list.reduce((sum, { grantWaits }) => sum + grantWaits, 0);
    const stalls = name.startsWith('gateway') ? `, ${waits} waits for a grant in all` : '';
    console.log(`  ${name.padEnd(28)} ${megabytes} MB/s bulk, ${tunnels} new tunnels/s${cost}${stalls}`);
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
    const line = (['bulk', 'tunnels', 'secondsPerGigabyte'] as const)
      .filter((key) => key !== 'secondsPerGigabyte' || theirs !== 'no proxy')
      .map((key) => `${key} ${ratio(samples.get(ours) ?? [], samples.get(theirs) ?? [], key)}`);
    console.log(`  ${ours} / ${theirs}: ${line.join(', ')}`);
  }
}

function ratio(ours: Sample[], theirs: Sample[], key: keyof Sample): string {
  const ratios = ours.map((sample, round) => sample[key] / (theirs[round]?.[key] ?? Number.NaN));
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}..${Math.max(...ratios).toFixed(2)})`;
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

import type { UsagePoint } from '@cellhop/contract/usage';

const HEADER = ['from', 'traffic_kib', 'uploaded_kib', 'spent_usd'];

/** One line for each hour or day; moments in UTC and numbers with a point, for programs. */
export function toCsv(points: readonly UsagePoint[]): string {
  const lines = points.map(({ at, trafficUsed, uploaded, spent }) => [at, trafficUsed, uploaded, plain(spent)]);
  return [HEADER, ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

/** Micro-dollars written out: `1e-7` is no number for every spreadsheet. */
function plain(dollars: number): string {
  return dollars.toFixed(6).replace(/\.?0+$/, '');
}

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers begin to read only after the click was handled.
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

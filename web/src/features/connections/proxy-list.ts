import type { Connection } from '@cellhop/contract/connections';
import { toCsvCell } from '../../format/spreadsheet.ts';
import { connectionStrings, proxyUrls } from './access-strings.ts';

export const exportFormats = ['TXT', 'CSV', 'JSON'] as const;
export type ExportFormat = (typeof exportFormats)[number];

type Opened = Connection & { password: string };

/** Media type and content of a file with proxies, for other programs. Leaves out proxies whose password cannot be shown. */
export function proxyList(connections: readonly Connection[], format: ExportFormat): string {
  const opened = connections.filter((connection): connection is Opened => connection.password !== null);
  return writers[format](opened);
}

const columns = ['label', 'ip', 'host', 'port', 'username', 'password', 'countryCode', 'city', 'zip', 'isp'] as const;

const writers: Record<ExportFormat, (connections: readonly Opened[]) => string> = {
  /** `host:port:user:password`, one per line. */
  TXT: (connections) => connections.map((each) => `${connectionStrings(each)[2]}\n`).join(''),
  CSV: (connections) =>
    [columns, ...connections.map((each) => columns.map((column) => String(each[column])))]
      .map((cells) => `${cells.map((cell) => toCsvCell(cell, ',')).join(',')}\r\n`)
      .join(''),
  JSON: (connections) => {
    const rows = connections.map((each) => ({
      ...Object.fromEntries(columns.map((column) => [column, each[column]])),
      urls: proxyUrls(each),
    }));
    return `${JSON.stringify(rows, null, 2)}\n`;
  },
};

/** A customer's open connections as a file for other programs. */
import { connectionStrings, proxyUrls } from '@cellhop/contract/access-strings';
import type { Connection } from '@cellhop/contract/connections';
import type { ConnectionFileFormat } from '@cellhop/contract/connections.values';
import { csvCell } from '@cellhop/contract/csv.values';

type Opened = Connection & { password: string };

interface FileFormat {
  contentType: string;
  start: string;
  line: (connection: Opened, isFirst: boolean) => string;
  end: string;
}

const columns = ['label', 'ip', 'host', 'port', 'username', 'password', 'countryCode', 'city', 'zip', 'isp'] as const;

export const connectionFiles: Record<ConnectionFileFormat, FileFormat> = {
  /** `host:port:user:password` */
  txt: {
    contentType: 'text/plain; charset=utf-8',
    start: '',
    line: (connection) => `${connectionStrings(connection)[2]}\n`,
    end: '',
  },
  csv: {
    contentType: 'text/csv; charset=utf-8',
    start: `${columns.join(',')}\r\n`,
    line: (connection) => `${columns.map((column) => csvCell(String(connection[column]))).join(',')}\r\n`,
    end: '',
  },
  /** A list with an object on each line. */
  json: {
    contentType: 'application/json; charset=utf-8',
    start: '[',
    line: (connection, isFirst) => {
      const values = Object.fromEntries(columns.map((column) => [column, connection[column]]));
      return `${isFirst ? '' : ','}\n${JSON.stringify({ ...values, urls: proxyUrls(connection) })}`;
    },
    end: '\n]\n',
  },
};

import { CONNECTION_TUNNELS_MAX } from '@cellhop/contract/limits';
import type { ImportError } from '@cellhop/contract/staff/inventory';
import { type ImportProblem, lineOrders } from '@cellhop/contract/staff/inventory.values';

/** An error of an imported file in words. */
export function describe(file: string, { line, column, problem, value }: ImportError): string {
  const place = column === null ? `${file}:${line}` : `${file}:${line}: ${column}`;
  return `${place}: ${problemTexts[problem]}${value === null ? '' : ` (${value})`}`;
}

const problemTexts: Record<ImportProblem, string> = {
  NOT_UTF8: 'is neither UTF-8 nor UTF-16 with a byte order mark',
  EMPTY_FILE: 'is an empty file',
  NO_ROWS: 'has no data rows',
  TOO_MANY_ROWS: 'has too many rows',
  TOO_MANY_COLUMNS: 'has too many columns',
  TOO_LARGE: 'is longer than 64 KiB, or nested too deeply',
  MISSING_COLUMN: 'is neither a column of the file nor a default',
  UNKNOWN_COLUMN: 'has an unknown column, by its number',
  DUPLICATE_COLUMN: 'is a duplicate column',
  WRONG_FIELD_COUNT: 'has the wrong number of fields',
  STRAY_QUOTE: 'has an unexpected quotation mark: double it, and quote the field',
  UNCLOSED_QUOTE: 'has an unclosed quotation mark',
  NOT_JSON: 'is not valid JSON',
  NOT_A_LIST: 'is not a JSON array',
  NOT_AN_OBJECT: 'is not a JSON object',
  NOT_TEXT: 'is neither a string nor a number',
  REQUIRED: 'is empty',
  TOO_LONG: 'is too long',
  INVALID_TEXT: 'contains invisible or broken characters',
  NOT_AN_ADDRESS: 'is not an IP address',
  NOT_A_PRICE:
    'is not a valid price: dollars for 100 MB, more than 0, with at most four decimals; for 1,234 write 1,2340 or 1234',
  NOT_A_COUNTRY: 'is not the code of a country in ISO 3166-1, such as GB',
  NOT_AN_ASN: 'is not the number of an autonomous system, such as 3320 or AS3320',
  UNKNOWN_NODE: 'is not the name of a gateway node',
  UNKNOWN_EXIT_KIND: 'is not a kind of exit: local-address, socks5 or http',
  NOT_AN_UPSTREAM: 'is not a proxy of this kind, such as socks5://user:password@host:port',
  REFUSED_UPSTREAM:
    'is an address of this service itself, one of its gateways, its database or the metadata service of a cloud',
  HIDDEN_CREDENTIALS: 'has masked credentials, but the proxy has no such exit to keep them from',
  NOT_A_PORT_RULE: 'must look like "deny 25 465-587" or "allow 80 443"',
  NOT_A_TUNNEL_COUNT: `must be a whole number from 1 to ${CONNECTION_TUNNELS_MAX}`,
  NOT_A_SPEED: 'must be megabits per second from 0.1 to 10000, with at most three decimals',
  NOT_A_LINK:
    'is not a link such as https://farm.example.com/rotate?key=KEY, perhaps after POST, and before cooldown=90 perHour=10 Name: value',
  DUPLICATE_IP: 'is a duplicate of line',
  DUPLICATE_EXIT: 'is the same exit as in another line',
  SHARED_EXIT: 'several proxies use this exit, so the line needs an address and no link that changes it',
  EITHER_ORDER: `can be read in both orders: add --order=${lineOrders.join(' or --order=')}`,
};

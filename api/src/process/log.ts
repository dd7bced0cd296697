import { LOG_STREAM_OPTIONS, ignoreWriteErrors, readableTransport } from '@cellhop/contract/log-stream';
import { destination as openStream, pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';

export type Log = Logger;

/** Paths of credentials of users, proxies and the internal API, which must not be logged. */
const redact = [
  'req.headers.authorization',
  'req.headers.cookie',
  'authorization',
  'password',
  '*.password',
  '*.currentPassword',
  // Not every `code`, because error codes must stay.
  'body.code',
  'query.code',
  '*.body.code',
  '*.query.code',
  'secondFactorCode',
  '*.secondFactorCode',
  'accessToken',
  'refreshToken',
  '*.accessToken',
  '*.refreshToken',
];

let standardOutput: DestinationStream | undefined;

/** @param destination default: standard output */
export function createLog(name: string, level: string, isReadable: boolean, destination?: DestinationStream): Log {
  const options: LoggerOptions = { name, level, redact };
  if (destination) return pino(options, destination);
  const transport = isReadable ? readableTransport() : undefined;
  if (transport) return pino({ ...options, transport });
  return pino(options, (standardOutput ??= ignoreWriteErrors(openStream(LOG_STREAM_OPTIONS), process)));
}

import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/** Never in a log, wherever it hides: credentials of people, of proxies and of the internal interface. */
const redact = [
  'req.headers.authorization',
  'req.headers.cookie',
  'authorization',
  'password',
  '*.password',
  '*.currentPassword',
  // Not everything that is called a code: those of errors are what one looks for in a log.
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

/** @param destination standard output unless given */
export function createLog(name: string, level: string, isPretty: boolean, destination?: DestinationStream): Log {
  const options = {
    name,
    level,
    redact,
    ...(isPretty && {
      transport: {
        target: 'pino-pretty',
        options: { ignore: 'pid,hostname', singleLine: true, translateTime: 'HH:MM:ss' },
      },
    }),
  };
  return destination ? pino(options, destination) : pino(options);
}

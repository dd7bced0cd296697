import { pino, type Logger } from 'pino';

export type Log = Logger;

/** Never in a log, wherever it hides: credentials of people, of proxies and of the internal interface. */
const redact = [
  'req.headers.authorization',
  'req.headers.cookie',
  'authorization',
  'password',
  '*.password',
  '*.currentPassword',
  '*.code',
  '*.secondFactorCode',
  'accessToken',
  'refreshToken',
  '*.accessToken',
  '*.refreshToken',
];

export function createLog(name: string, level: string, isPretty: boolean): Log {
  return pino({
    name,
    level,
    redact,
    ...(isPretty && {
      transport: {
        target: 'pino-pretty',
        options: { ignore: 'pid,hostname', singleLine: true, translateTime: 'HH:MM:ss' },
      },
    }),
  });
}

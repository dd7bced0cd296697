/** The connection of an API process that listens for live events of all processes. It reconnects by itself. */
import { setTimeout as pause } from 'node:timers/promises';
import { BoundedClient, connectionOptions } from '../db/database-connection.ts';
import type { Log } from '../process/log.ts';
import { CHANNEL } from './changes.ts';

const FIRST_RETRY_MS = 100;
const RETRY_MS_MAX = 5000;
/** Probes detect a silently broken connection, which otherwise looks like one without events. */
const PROBE_EVERY_MS = 5000;

export interface ListenerEvents {
  onPayload: (payload: string) => void;
  /** Listening has started or restarted: earlier events are lost. */
  onListening: () => void;
}

interface ListenerSettings {
  databaseUrl: string;
  log: Log;
  /** For each answer of the database; a connection without one is replaced. */
  timeLimitMs: number;
  probeEveryMs?: number;
}

/** @returns a function that stops it */
export function startListener(settings: ListenerSettings, events: ListenerEvents): () => Promise<void> {
  const stopping = new AbortController();
  const finished = listenWithRetry(settings, events, stopping.signal);
  return () => {
    stopping.abort();
    return finished;
  };
}

async function listenWithRetry(settings: ListenerSettings, events: ListenerEvents, signal: AbortSignal) {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await listenOnce(settings, signal, events.onPayload, () => {
        failures = 0;
        events.onListening();
      });
    } catch (error) {
      if (!signal.aborted) settings.log.warn({ err: error }, 'live events: connection to the database lost');
    }
    // Jitter, so that processes do not all reconnect at the same moment.
    const backoffMs = Math.min(RETRY_MS_MAX, FIRST_RETRY_MS * 2 ** failures) * (0.5 + Math.random() / 2);
    failures += 1;
    await pause(backoffMs, undefined, { signal }).catch(() => {});
  }
}

/** Resolves when the signal is aborted, rejects when the connection is lost. */
async function listenOnce(
  { databaseUrl, timeLimitMs, probeEveryMs = PROBE_EVERY_MS }: ListenerSettings,
  signal: AbortSignal,
  onPayload: (payload: string) => void,
  onListening: () => void,
): Promise<void> {
  const client = new BoundedClient({
    ...connectionOptions(databaseUrl, timeLimitMs),
    application_name: 'live events',
  });
  let stop!: () => void;
  let fail!: (error: unknown) => void;
  const over = new Promise<void>((resolve, reject) => {
    stop = resolve;
    fail = reject;
  });
  // Awaited below; an earlier rejection must not count as unhandled.
  over.catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  client.on('error', fail);
  client.on('end', () => fail(new Error('the connection has ended')));
  client.on('notification', ({ payload }) => onPayload(payload ?? ''));
  let timer: NodeJS.Timeout | undefined;
  const probeLater = () => {
    timer = setTimeout(() => void client.query('select 1').then(probeLater, fail), probeEveryMs);
  };
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    onListening();
    probeLater();
    await over;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => {});
  }
}

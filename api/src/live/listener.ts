/** The one connection of an API process that hears what all processes tell. It comes back by itself, however long it takes. */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../log.ts';
import { CHANNEL } from './changes.ts';

const FIRST_RETRY_MS = 100;
const RETRY_MS_MAX = 5000;
/** A connection that broke without a word is found out by asking. */
const PROBE_EVERY_MS = 15_000;
const PROBE_TIMEOUT_MS = 5000;

export interface ListenerEvents {
  onPayload: (payload: string) => void;
  /** Listening from now on, at first or again: what was told before is lost. */
  onListening: () => void;
}

/** @returns ends it */
export function startListener(databaseUrl: string, log: Log, events: ListenerEvents): () => Promise<void> {
  const stopping = new AbortController();
  const finished = listenForEver(databaseUrl, log, events, stopping.signal);
  return () => {
    stopping.abort();
    return finished;
  };
}

async function listenForEver(databaseUrl: string, log: Log, events: ListenerEvents, signal: AbortSignal) {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await listenOnce(databaseUrl, signal, events.onPayload, () => {
        failures = 0;
        events.onListening();
      });
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'live events: connection to the database lost');
    }
    // Jitter keeps the processes of an operator from coming back in one moment.
    const backoffMs = Math.min(RETRY_MS_MAX, FIRST_RETRY_MS * 2 ** failures) * (0.5 + Math.random() / 2);
    failures += 1;
    await pause(backoffMs, undefined, { signal }).catch(() => {});
  }
}

/** Resolves when told to stop, rejects when the connection is lost. */
async function listenOnce(
  databaseUrl: string,
  signal: AbortSignal,
  onPayload: (payload: string) => void,
  onListening: () => void,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    keepAlive: true,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
    application_name: 'live events',
  });
  let probe: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve, reject) => {
    client.on('error', reject);
    client.on('end', () => reject(new Error('the connection has ended')));
    signal.addEventListener('abort', () => resolve(), { once: true });
    probe = setInterval(() => void client.query('select 1').catch(reject), PROBE_EVERY_MS);
  });
  // It is waited for below; what happens to the connection before must not count as unhandled.
  over.catch(() => {});
  client.on('notification', ({ payload }) => onPayload(payload ?? ''));
  try {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    onListening();
    await over;
  } finally {
    clearInterval(probe);
    await client.end().catch(() => {});
  }
}

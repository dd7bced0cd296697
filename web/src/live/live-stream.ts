/** Keeps one stream of live events open: reconnects when it ends, with exponential backoff. */
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { type ServerEvent, readEvents } from './event-stream.ts';
import { authorizedFetch } from '../data/http.ts';
import { tokens } from '../session/tokens.ts';
import { onReconnect } from '../data/network.ts';

/** The server sends a keep-alive every 20 seconds. */
const MAX_SILENCE_MS = 45_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

export interface StreamListener {
  onEvent: (event: ServerEvent) => void;
  /** The stream has ended or could not be opened. */
  onLost: () => void;
}

/** Resolves when the signal aborts or the user is signed out. */
export async function keepStream(signal: AbortSignal, { onEvent, onLost }: StreamListener): Promise<void> {
  let failures = 0;
  while (!signal.aborted && tokens.get() !== undefined) {
    try {
      await readOnce(signal, (event) => {
        failures = 0;
        onEvent(event);
      });
    } catch {
      // The network or the server failed, or the token is out of date. After a 401 for the current token there are no
      // tokens.
    }
    if (signal.aborted) return;
    onLost();
    await waitBeforeRetry(failures, signal);
    failures += 1;
  }
}

async function readOnce(signal: AbortSignal, onEvent: (event: ServerEvent) => void): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
  const onData = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
  };
  try {
    const response = await authorizedFetch(LIVE_EVENTS_PATH, { signal: AbortSignal.any([signal, silence.signal]) });
    if (response.body !== null) await readEvents(response.body, onEvent, onData);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * With jitter, so that the browsers of all users do not reconnect at the same time; ends early when the network is
 * back.
 */
function waitBeforeRetry(failures: number, signal: AbortSignal): Promise<void> {
  const milliseconds = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures) * (0.5 + Math.random() / 2);
  return new Promise((resolve) => {
    const stopping = new AbortController();
    const finish = () => {
      clearTimeout(timer);
      stopping.abort();
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    stopping.signal.addEventListener('abort', onReconnect(finish));
    signal.addEventListener('abort', finish, { signal: stopping.signal });
  });
}

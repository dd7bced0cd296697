/** Keeps one stream of live events open: opens it again when it has ended, with growing pauses while that fails. */
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.plain';
import { type ServerEvent, readEvents } from './event-stream.ts';
import { authorizedFetch } from './http.ts';
import { tokens } from './tokens.ts';

/** The server gives a sign of life every 20 seconds. */
const SILENCE_MS_MAX = 45_000;
const FIRST_RETRY_MS = 500;
const RETRY_MS_MAX = 30_000;

export interface StreamListener {
  onEvent: (event: ServerEvent) => void;
  /** The stream has ended or could not be opened. */
  onLost: () => void;
}

/** Ends when the signal says so, or when the server does not know the user any more. */
export async function keepStream(signal: AbortSignal, { onEvent, onLost }: StreamListener): Promise<void> {
  let failures = 0;
  while (!signal.aborted && tokens.get() !== undefined) {
    try {
      await readOnce(signal, (event) => {
        failures = 0;
        onEvent(event);
      });
    } catch {
      // The network, the server, or a token of before. After a 401 for the present token there are no tokens any more.
    }
    if (signal.aborted) return;
    onLost();
    await pauseBefore(failures, signal);
    failures += 1;
  }
}

async function readOnce(signal: AbortSignal, onEvent: (event: ServerEvent) => void): Promise<void> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS_MAX);
  const onLife = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS_MAX);
  };
  try {
    const response = await authorizedFetch(LIVE_EVENTS_PATH, { signal: AbortSignal.any([signal, silence.signal]) });
    if (response.body !== null) await readEvents(response.body, onEvent, onLife);
  } finally {
    clearTimeout(timer);
  }
}

/** With jitter, so that the browsers of all users do not come back in one moment; earlier when the network is back. */
function pauseBefore(failures: number, signal: AbortSignal): Promise<void> {
  const milliseconds = Math.min(RETRY_MS_MAX, FIRST_RETRY_MS * 2 ** failures) * (0.5 + Math.random() / 2);
  return new Promise((resolve) => {
    const over = new AbortController();
    const finish = () => {
      clearTimeout(timer);
      over.abort();
      resolve();
    };
    const timer = setTimeout(finish, milliseconds);
    globalThis.addEventListener('online', finish, { signal: over.signal });
    signal.addEventListener('abort', finish, { signal: over.signal });
  });
}

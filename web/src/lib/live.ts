/**
 * Live events: what the server says has changed is asked for again. One tab of a browser holds the stream and passes
 * on what it hears; when that tab is closed, the next one opens its own.
 */
import { useSyncExternalStore } from 'react';
import type { ServerEvent } from './event-stream.ts';
import { keepStream } from './live-stream.ts';
import { CALM_INTERVAL_MS, LIVE_INTERVAL_MS, queryClient } from './query.ts';
import type { LiveAnswers } from './screen.ts';
import { spaced } from './spaced.ts';

/** While the stream is open, polling is only for what it might have missed. */
const SAFETY_INTERVAL_MS = 30_000;

/** What the tab with the stream tells the others. `hello` asks it whether there is a stream. */
type TabMessage = { kind: 'hello' } | { kind: 'alive'; isAlive: boolean } | { kind: 'event'; event: ServerEvent };

let isAlive = false;
const listeners = new Set<() => void>();

/** How often to ask for something by oneself; `isBusy` while it costs or brings money. */
export function usePollInterval(): (isBusy: boolean) => number {
  const isLive = useSyncExternalStore(subscribe, () => isAlive);
  return (isBusy) => (isLive ? SAFETY_INTERVAL_MS : isBusy ? LIVE_INTERVAL_MS : CALM_INTERVAL_MS);
}

/**
 * @param session the tabs of one session share a stream: one that is frozen in the session before must not hold it
 * @param watched what to ask for again
 * @returns ends it
 */
export function startLive(session: string, watched: readonly LiveAnswers[]): () => void {
  const stopping = new AbortController();
  const name = `live-events:${session}`;
  const tabs = new BroadcastChannel(name);
  const refetch = refetcher(watched);
  let wasAlive = false;
  let isLeading = false;

  function hear({ name, data }: ServerEvent): void {
    if (name === 'open') {
      // What changed while there was no stream has been told to nobody.
      if (wasAlive) refetch.all();
      wasAlive = true;
      setAlive(true);
    } else if (name === 'refetch') refetch.all();
    else if (name === 'changed') refetch.after(topicsOf(data));
  }

  function tell(message: TabMessage): void {
    // A channel reaches tabs of this origin alone.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    tabs.postMessage(message);
  }

  async function lead(signal: AbortSignal): Promise<void> {
    isLeading = true;
    await keepStream(signal, {
      onEvent: (event) => {
        hear(event);
        tell({ kind: 'event', event });
      },
      onLost: () => {
        setAlive(false);
        tell({ kind: 'alive', isAlive: false });
      },
    });
    isLeading = false;
  }

  tabs.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'hello' && isLeading) tell({ kind: 'alive', isAlive });
    if (data.kind === 'event') hear(data.event);
    if (data.kind !== 'alive') return;
    wasAlive ||= data.isAlive;
    setAlive(data.isAlive);
  });
  tell({ kind: 'hello' });
  void asOneTab(name, lead, stopping.signal);

  return () => {
    stopping.abort();
    tabs.close();
    refetch.stop();
    setAlive(false);
  };
}

/**
 * Leads in one tab of the browser. Locks exist in secure contexts only; elsewhere it is the tab in front, because a
 * browser keeps no more than six connections to a server without TLS, and each stream takes one.
 */
async function asOneTab(
  name: string,
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const locks = (navigator as Partial<Navigator>).locks;
  // Rejects if this tab is closed or signed out before its turn has come.
  if (locks !== undefined) return locks.request(name, { signal }, () => lead(signal)).catch(() => undefined);
  let leaving = new AbortController();
  const follow = () => {
    leaving.abort();
    leaving = new AbortController();
    if (!document.hidden) void lead(AbortSignal.any([signal, leaving.signal]));
  };
  document.addEventListener('visibilitychange', follow, { signal });
  follow();
}

function setAlive(next: boolean): void {
  isAlive = next;
  for (const listener of listeners) listener();
}

function topicsOf(data: string): string[] {
  // By hand, not by the contract's schema: this is on every page, which would load zod for it.
  const { topics } = JSON.parse(data) as { topics?: unknown };
  return Array.isArray(topics) ? topics.filter((topic) => typeof topic === 'string') : [];
}

function refetcher(watched: readonly LiveAnswers[]) {
  const all = watched.map(({ isMeant, topics, spacingMs }) => ({
    topics: new Set<string>(topics),
    ...spaced(() => invalidate(isMeant), spacingMs),
  }));
  return {
    /** Topics that this app does not know come from a newer server, and are left alone. */
    after: (changed: readonly string[]) => {
      for (const { topics, call } of all) if (changed.some((topic) => topics.has(topic))) call();
    },
    all: () => all.forEach(({ call }) => call()),
    stop: () => all.forEach(({ stop }) => stop()),
  };
}

function invalidate(isMeant: (url: string) => boolean): void {
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [url] }) => typeof url === 'string' && isMeant(url),
    // A tab that nobody sees asks when it is looked at again.
    refetchType: document.hidden ? 'none' : 'active',
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

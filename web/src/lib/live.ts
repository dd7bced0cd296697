/**
 * Live events: what the server says has changed is asked for again. One tab of a browser holds the stream and passes
 * on what it hears; when that tab is closed, the next one opens its own.
 */
import { liveTopics } from '@cellhop/contract/live.plain';
import { useSyncExternalStore } from 'react';
import type { ServerEvent } from './event-stream.ts';
import { keepStream } from './live-stream.ts';
import { dependsOn, queryClient, type Topic } from './query.ts';
import { spaced } from './spaced.ts';

/** Without a stream, while something that costs or brings money goes on. */
const BUSY_INTERVAL_MS = 2000;
/** Otherwise: another tab or program of the same user may change things. */
const IDLE_INTERVAL_MS = 10_000;
/** While the stream is open, polling is only for what it might have missed. */
const SAFETY_INTERVAL_MS = 30_000;
/** How often live events ask again for an answer that does not say so itself. Traffic changes twice a second; nobody reads that fast. */
const SPACING_MS = 1000;

/** What the tab with the stream tells the others. `hello` asks it whether there is a stream. */
type TabMessage = { kind: 'hello' } | { kind: 'alive'; isAlive: boolean } | { kind: 'event'; event: ServerEvent };

let isAlive = false;
const listeners = new Set<() => void>();

/** How often to ask for something by oneself; `isBusy` while it costs or brings money. */
export function usePollInterval(): (isBusy: boolean) => number {
  const isLive = useSyncExternalStore(subscribe, () => isAlive);
  return (isBusy) => (isLive ? SAFETY_INTERVAL_MS : isBusy ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS);
}

/**
 * @param session the tabs of one session share a stream: one that is frozen in the session before must not hold it
 * @returns ends it
 */
export function startLive(session: string): () => void {
  const stopping = new AbortController();
  const name = `live-events:${session}`;
  const tabs = new BroadcastChannel(name);
  const refetch = refetcher();
  let wasAlive = false;
  let isLeading = false;

  function hear({ name, data }: ServerEvent): void {
    if (name === 'open') {
      // What changed while there was no stream has been told to nobody.
      if (wasAlive) refetch.after(liveTopics);
      wasAlive = true;
      setAlive(true);
    } else if (name === 'refetch') refetch.after(liveTopics);
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

/** Topics that this app does not know come from a newer server, and are left alone. */
function topicsOf(data: string): Topic[] {
  // By hand, not by the contract's schema: this is on every page, which would load zod for it.
  const { topics } = JSON.parse(data) as { topics?: unknown };
  return Array.isArray(topics) ? liveTopics.filter((topic) => topics.includes(topic)) : [];
}

/** Asks again for what depends on topics, each endpoint in its own time. */
function refetcher() {
  const throttles = new Map<unknown, ReturnType<typeof spaced>>();

  function throttleOf(url: unknown, spacingMs: number) {
    const throttle = throttles.get(url) ?? spaced(() => invalidateEndpoint(url), spacingMs);
    throttles.set(url, throttle);
    return throttle;
  }

  return {
    after: (topics: readonly Topic[]) => {
      const stale = queryClient.getQueryCache().findAll({ predicate: ({ meta }) => dependsOn(meta, topics) });
      const spacings = new Map(stale.map(({ queryKey: [url], meta }) => [url, meta?.spacingMs ?? SPACING_MS]));
      for (const [url, spacingMs] of spacings) throttleOf(url, spacingMs).call();
    },
    stop: () => throttles.forEach(({ stop }) => stop()),
  };
}

function invalidateEndpoint(url: unknown): void {
  // A tab that nobody sees asks when it is looked at again.
  void queryClient.invalidateQueries({ queryKey: [url], refetchType: document.hidden ? 'none' : 'active' });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

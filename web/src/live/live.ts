/**
 * Live events: queries that depend on changed topics are fetched again. One tab of a browser (the leader) holds the
 * stream and forwards the events to the others; when it is closed, another tab takes over.
 */
import { useSyncExternalStore } from 'react';
import type { ServerEvent } from './event-stream.ts';
import { leadInOneTab } from './lead-in-one-tab.ts';
import { keepStream } from './live-stream.ts';
import { takeOwnEvent } from './own-events.ts';
import { dependsOn, isStreamed, queryClient, refetchStale, type Topic } from '../data/query.ts';
import { throttle } from './throttle.ts';

/** Without a stream, while money is involved or work is under way. */
const BUSY_INTERVAL_MS = 2000;
/** Without a stream: another tab or client of the same user may change data. */
const IDLE_INTERVAL_MS = 10_000;
/** With an open stream that announces the changes, in case an event is missed. */
const SAFETY_INTERVAL_MS = 30_000;
/** Default interval at which live events refetch a query. Traffic changes twice a second, faster than users read. */
const THROTTLE_MS = 1000;

/** Messages between tabs. With `hello` a new tab asks the leader for the state of the stream. */
type TabMessage = { kind: 'hello' } | { kind: 'alive'; isAlive: boolean } | { kind: 'event'; event: ServerEvent };

/** When the open stream began to announce changes, in milliseconds since the epoch. */
let announcedSince: number | undefined;
const listeners = new Set<() => void>();

export interface Polled {
  /** Live events announce changes of the data. */
  isAnnounced: boolean;
  /** Money is involved, or work is under way. */
  isBusy: boolean;
  /** When the data was requested, in milliseconds since the epoch. */
  requestedAt: number;
}

/** The polling interval. */
export function usePollInterval(): (polled: Polled) => number {
  const since = useSyncExternalStore(subscribe, () => announcedSince);
  return (polled) => pollIntervalMs(since, polled);
}

/**
 * Exported for tests. Changes between the request of data and the opening of the stream were not announced, so older
 * data is polled as without a stream.
 *
 * @param since when the open stream began to announce changes
 */
export function pollIntervalMs(since: number | undefined, { isAnnounced, isBusy, requestedAt }: Polled): number {
  if (isAnnounced && since !== undefined && requestedAt >= since) return SAFETY_INTERVAL_MS;
  return isBusy ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS;
}

/**
 * @param session only the tabs of one session share a stream: a frozen tab of an earlier session must not block it
 * @returns stops it
 */
export function startLive(session: string): () => void {
  const stopping = new AbortController();
  const name = `live-events:${session}`;
  const tabs = new BroadcastChannel(name);
  const refetch = createRefetcher();
  const startedAt = Date.now();
  let wasStreamOpen = false;
  let isLeading = false;

  function handleEvent({ name, data }: ServerEvent): void {
    if (name === 'open') {
      // Changes while the stream was closed were missed.
      if (wasStreamOpen) refetch.after(isStreamed);
      wasStreamOpen = true;
      setAnnouncedSince(Date.now());
    } else if (name === 'refetch') refetch.after(isStreamed);
    else if (name === 'changed') refetch.after(toTopicMatcher(data));
  }

  function post(message: TabMessage): void {
    // A channel reaches tabs of this origin alone.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    tabs.postMessage(message);
  }

  async function lead(signal: AbortSignal): Promise<void> {
    isLeading = true;
    await keepStream(signal, {
      onEvent: (event) => {
        handleEvent(event);
        post({ kind: 'event', event });
      },
      onLost: () => {
        setAnnouncedSince(undefined);
        post({ kind: 'alive', isAlive: false });
      },
    });
    isLeading = false;
  }

  tabs.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'hello' && isLeading) post({ kind: 'alive', isAlive: announcedSince !== undefined });
    if (data.kind === 'event') handleEvent(data.event);
    if (data.kind !== 'alive') return;
    wasStreamOpen ||= data.isAlive;
    // The leader forwards all events since this tab listens.
    setAnnouncedSince(data.isAlive ? (announcedSince ?? startedAt) : undefined);
  });
  post({ kind: 'hello' });
  void leadInOneTab(name, lead, stopping.signal);

  return () => {
    stopping.abort();
    tabs.close();
    refetch.stop();
    setAnnouncedSince(undefined);
  };
}

function setAnnouncedSince(next: number | undefined): void {
  announcedSince = next;
  for (const listener of listeners) listener();
}

/** Ignores events of this tab's own changes. Unknown topics are from a newer server; no query depends on them. */
function toTopicMatcher(data: string): (topic: Topic) => boolean {
  // Checked by hand: the contract's schema would load zod on every page.
  const { topics } = JSON.parse(data) as { topics?: unknown };
  const changed = Array.isArray(topics) ? topics.filter((topic: Topic) => !takeOwnEvent(topic)) : [];
  return (topic) => changed.includes(topic);
}

/** Refetches the queries that depend on topics, each endpoint with its own throttle. */
function createRefetcher() {
  const throttles = new Map<unknown, ReturnType<typeof throttle>>();

  function throttledRefetch(url: unknown, throttleMs: number) {
    const throttled =
      throttles.get(url) ?? throttle(() => refetchStale(({ queryKey }) => queryKey[0] === url), throttleMs);
    throttles.set(url, throttled);
    return throttled;
  }

  return {
    after: (hasChanged: (topic: Topic) => boolean) => {
      const stale = queryClient.getQueryCache().findAll({ predicate: ({ meta }) => dependsOn(meta, hasChanged) });
      const intervals = new Map(stale.map(({ queryKey: [url], meta }) => [url, meta?.throttleMs ?? THROTTLE_MS]));
      for (const [url, throttleMs] of intervals) throttledRefetch(url, throttleMs).call();
    },
    stop: () => throttles.forEach(({ stop }) => stop()),
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

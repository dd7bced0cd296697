import { ApiError } from '@cellhop/contract/client';
import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Polled } from '../live/live.ts';
import type { Topic } from './query.ts';
import type { ApiQueryOptions } from './use-api-query.ts';

// There is only one tab.
vi.hoisted(() => vi.stubGlobal('addEventListener', () => undefined));
const { invalidate, prefetched, queryClient } = await import('./query.ts');
const { observerOptions, toQueryState } = await import('./use-api-query.ts');
const { listOptions, toList } = await import('./use-list.ts');

interface Row {
  id: number;
  isOpen: boolean;
}

const pollInterval = ({ isAnnounced, isBusy }: Omit<Polled, 'requestedAt'>) =>
  (isBusy ? 1 : 2) * (isAnnounced ? 10 : 1);
const BUSY = pollInterval({ isAnnounced: false, isBusy: true });
const IDLE = pollInterval({ isAnnounced: false, isBusy: false });
const ANNOUNCED_BUSY = pollInterval({ isAnnounced: true, isBusy: true });
const ANNOUNCED_IDLE = pollInterval({ isAnnounced: true, isBusy: false });

/** A server with two pages of one row each. */
function createServer(rows: Row[]) {
  const requests: number[] = [];
  let failures = 0;
  let failure: ApiError;
  return {
    requests,
    fail: (times: number, error = new ApiError(500, 'INTERNAL', 'broken')) => {
      failures = times;
      failure = error;
    },
    page: (page: number) => ({
      queryKey: ['/rows', page],
      meta: { topics: ['tickets'] as const },
      queryFn: async () => {
        requests.push(page);
        failures -= 1;
        if (failures >= 0) throw failure;
        return { data: rows.slice(page - 1, page), totalPages: 2 };
      },
    }),
  };
}

/** Reads its rows when a request arrives; the test decides when the responses do. */
function slowServer() {
  const responses: (() => void)[] = [];
  const server = {
    rows: [{ id: 1, isOpen: false }],
    query: {
      queryKey: ['/rows', 1],
      meta: { topics: ['tickets'] as const },
      queryFn: () => {
        const data = server.rows;
        return new Promise<{ data: Row[]; totalPages: number }>((resolve) => {
          responses.push(() => resolve({ data, totalPages: 1 }));
        });
      },
    },
    respond: async () => {
      await settle();
      for (const respond of responses.splice(0)) respond();
      await settle();
    },
  };
  return server;
}

type Query = ReturnType<ReturnType<typeof createServer>['page']>;

/** A mounted list; `show` renders it with another page. */
function mount(first: Query) {
  const toOptions = (query: Query) => observerOptions(query, listOptions<Row>({}), pollInterval);
  const observer = new QueryObserver(queryClient, queryClient.defaultQueryOptions(toOptions(first)));
  const unmount = observer.subscribe(() => undefined);
  return {
    list: () => toList(toQueryState(observer.getCurrentResult())),
    show: (query: Query) => observer.setOptions(queryClient.defaultQueryOptions(toOptions(query))),
    unmount,
  };
}

const unavailable = (retryAfterSeconds?: number) =>
  new ApiError(503, 'UNAVAILABLE', 'busy', undefined, retryAfterSeconds);

const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  queryClient.clear();
  vi.useRealTimers();
});

describe('a list', () => {
  it('keeps the number of pages, but no rows, while another page loads', async () => {
    const { page } = createServer([
      { id: 1, isOpen: false },
      { id: 2, isOpen: false },
    ]);
    const { list, show, unmount } = mount(page(1));
    expect(list()).toMatchObject({ rows: undefined, totalPages: 0 });
    await settle();
    expect(list()).toMatchObject({ rows: [{ id: 1 }], totalPages: 2 });
    show(page(2));
    expect(list()).toMatchObject({ rows: undefined, totalPages: 2, isFetching: true });
    await settle();
    expect(list()).toMatchObject({ rows: [{ id: 2 }] });
    unmount();
  });

  it('has a failure with a retry', async () => {
    const { page, fail } = createServer([{ id: 1, isOpen: false }]);
    fail(1);
    const { list, unmount } = mount(page(1));
    await settle();
    expect(list()).toMatchObject({ rows: undefined, failure: { error: { code: 'INTERNAL' }, isRetrying: false } });
    list().failure?.onRetry();
    await settle();
    expect(list()).toMatchObject({ rows: [{ id: 1 }], failure: undefined });
    unmount();
  });

  it('is requested once more when a busy server says when, and not before', async () => {
    const { page, fail, requests } = createServer([{ id: 1, isOpen: false }]);
    fail(1, unavailable(2));
    const { list, unmount } = mount(page(1));
    await vi.advanceTimersByTimeAsync(1999);
    expect(list()).toMatchObject({ rows: undefined, failure: undefined });
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1001);
    expect(list()).toMatchObject({ rows: [{ id: 1 }], failure: undefined });
    unmount();
  });

  it.each([
    { refusals: 2, seconds: 2, expected: 2, description: 'is still unavailable the second time' },
    { refusals: 1, seconds: 60, expected: 1, description: 'will be unavailable for a minute' },
    { refusals: 1, seconds: undefined, expected: 1, description: 'does not know for how long it is unavailable' },
  ])('has a failure when the server $description', async ({ refusals, seconds, expected }) => {
    const { page, fail, requests } = createServer([{ id: 1, isOpen: false }]);
    fail(refusals, unavailable(seconds));
    const { list, unmount } = mount(page(1));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(list()).toMatchObject({ rows: undefined, failure: { error: { code: 'UNAVAILABLE' } } });
    expect(requests).toHaveLength(expected);
    unmount();
  });

  it('keeps its rows when a later fetch fails', async () => {
    const { page, fail } = createServer([{ id: 1, isOpen: false }]);
    const { list, unmount } = mount(page(1));
    await settle();
    fail(1);
    list().refetch();
    await settle();
    expect(list()).toMatchObject({ rows: [{ id: 1 }], error: { code: 'INTERNAL' }, failure: undefined });
    unmount();
  });

  it('shows a prefetched response without another request, however late, unless it became stale', async () => {
    const { page, requests } = createServer([{ id: 1, isOpen: false }]);
    const query = prefetched(page(1));
    await queryClient.prefetchQuery(query);
    await vi.advanceTimersByTimeAsync(10_000);
    const first = mount(query);
    await settle();
    first.unmount();
    expect(requests).toHaveLength(1);
    await invalidate(['tickets']);
    const second = mount(query);
    await settle();
    expect(requests).toHaveLength(2);
    second.unmount();
  });

  it('is refetched when its own topic changes', async () => {
    const { page, requests } = createServer([{ id: 1, isOpen: false }]);
    const { unmount } = mount(page(1));
    await settle();
    await invalidate(['invoices', 'account']);
    expect(requests).toHaveLength(1);
    await invalidate(['tickets']);
    expect(requests).toHaveLength(2);
    unmount();
  });

  it.each(['first', 'later'])(
    'is refetched when its topic changes after the server has read its %s response',
    async (which) => {
      const server = slowServer();
      const { list, unmount } = mount(server.query);
      if (which === 'later') {
        await server.respond();
        list().refetch();
      }
      await settle();
      server.rows = [{ id: 2, isOpen: false }];
      const refetched = invalidate(['tickets']);
      await server.respond();
      await server.respond();
      await refetched;
      expect(list()).toMatchObject({ rows: [{ id: 2 }], isFetching: false });
      unmount();
    },
  );

  it('shows its first response, although its topic has changed meanwhile', async () => {
    const server = slowServer();
    const { list, unmount } = mount(server.query);
    await settle();
    void invalidate(['tickets']);
    await server.respond();
    expect(list()).toMatchObject({ rows: [{ id: 1 }], isFetching: true });
    unmount();
  });

  it.each(['the first time', 'again'])(
    'is refetched when it is shown, if its topic changed while it was prefetched %s',
    async (time) => {
      const server = slowServer();
      const query = prefetched(server.query);
      if (time === 'again') {
        void queryClient.prefetchQuery(query);
        await server.respond();
        await vi.advanceTimersByTimeAsync(10_000);
      }
      void queryClient.prefetchQuery(query);
      await settle();
      server.rows = [{ id: 2, isOpen: false }];
      const marked = invalidate(['tickets']);
      await server.respond();
      await marked;
      const { list, unmount } = mount(query);
      await server.respond();
      expect(list().rows).toEqual([{ id: 2, isOpen: false }]);
      unmount();
    },
  );
});

async function requestAfter(milliseconds: number) {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return { data: [], totalPages: 0 };
}

/** The polling interval; false for none. */
function findInterval(topics: readonly Topic[], options: ApiQueryOptions<{ data: readonly Row[] }>, rows: Row[] = []) {
  const { refetchInterval } = observerOptions({ queryKey: ['/rows'], meta: { topics } }, options, pollInterval);
  return typeof refetchInterval === 'function' && refetchInterval({ state: { data: { data: rows } } } as never);
}

describe('polling', () => {
  it('depends on when the response was requested, and not on what an action has stored since', async () => {
    const query = createServer([]).page(1);
    const intervals: number[] = [];
    const options = observerOptions(
      { ...query, queryFn: () => requestAfter(50) },
      { isPolled: true },
      ({ requestedAt }) => {
        intervals.push(requestedAt - startedAt);
        return 1_000_000;
      },
    );
    const startedAt = Date.now();
    const unmount = new QueryObserver(queryClient, queryClient.defaultQueryOptions(options)).subscribe(() => undefined);
    await vi.advanceTimersByTimeAsync(50);
    queryClient.setQueryData(query.queryKey, { data: [], totalPages: 0 });
    expect(intervals.at(-1)).toBe(0);
    unmount();
  });

  it.each([
    [true, ANNOUNCED_BUSY, BUSY],
    [false, ANNOUNCED_IDLE, IDLE],
  ])('knows whether a row is busy, and whether live events announce changes: %s', (isOpen, announced, polled) => {
    const options = listOptions({ isPolled: true, isBusy: (row: Row) => row.isOpen });
    expect(findInterval(['tickets'], options, [{ id: 1, isOpen }])).toBe(announced);
    expect(findInterval(['broadcasts'], options, [{ id: 1, isOpen }])).toBe(polled);
  });

  it('is off for queries without live topics, unless requested', () => {
    expect(findInterval(['account'], {})).toBe(false);
    expect(findInterval(['account'], { isPolled: true })).toBe(IDLE);
    expect(findInterval(['tickets'], {})).toBe(ANNOUNCED_IDLE);
    expect(findInterval(['tickets'], { isPolled: false })).toBe(false);
  });
});

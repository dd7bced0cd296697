import { ApiError } from '@cellhop/contract/client';
import type { EndpointOutput } from '@cellhop/contract/endpoints';
import { NOTIFICATIONS_MAX, PAGE_SIZE_MAX } from '@cellhop/contract/limits';
import type { Notification } from '@cellhop/contract/notifications';
import { type InfiniteData, infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../../data/http.ts';
import { usePollInterval } from '../../live/live.ts';
import { pageQuery, queryClient, requestedAt } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useHasBeenIdle } from '../../loading/idle.ts';

type Page = EndpointOutput<'GET /v1/notifications'>;

const notificationsQuery = infiniteQueryOptions<Page, ApiError, InfiniteData<Page, number>, readonly string[], number>({
  queryKey: ['GET /v1/notifications'],
  meta: { topics: ['notifications'] },
  queryFn: ({ pageParam, signal }) => call('GET /v1/notifications', { query: pageQuery(pageParam) }, { signal }),
  initialPageParam: 1,
  getNextPageParam: ({ totalPages }, _, page) => (page < totalPages ? page + 1 : undefined),
});

/** The newest page, and older ones that the user has loaded. */
export function useNotifications() {
  const pollInterval = usePollInterval();
  return useInfiniteQuery({
    ...notificationsQuery,
    enabled: useHasBeenIdle(),
    refetchInterval: (query) => pollInterval({ isAnnounced: true, isBusy: false, requestedAt: requestedAt(query) }),
  });
}

/** The popup starts with the newest page when it opens again. */
export function removeOlderPages(): void {
  queryClient.setQueryData(notificationsQuery.queryKey, (list) =>
    list === undefined ? list : { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) },
  );
}

/** Marks all unread notifications as read, whether they are shown or not. */
export function useMarkAllRead() {
  return useAction({
    call: async (pages: readonly Page[]) => {
      const ids = await findUnread(pages);
      // More than the API keeps: the next cleanup removes the excess.
      if (ids.length > 0)
        await call('POST /v1/notifications/mark-read', { body: { ids: ids.slice(0, NOTIFICATIONS_MAX) } });
    },
    onSuccess: async () => {
      await queryClient.cancelQueries({ queryKey: notificationsQuery.queryKey });
      queryClient.setQueryData(notificationsQuery.queryKey, (list) =>
        list === undefined ? list : { ...list, pages: list.pages.map(flagRead) },
      );
    },
    // No toast: the badge of the bell stays.
    onError: () => 'HANDLED',
  });
}

function flagRead(page: Page): Page {
  return { ...page, unreadCount: 0, data: page.data.map((notification) => ({ ...notification, isRead: true })) };
}

async function findUnread(pages: readonly Page[]): Promise<string[]> {
  const shown = unreadIds(pages.flatMap(({ data }) => data));
  const { unreadCount = 0 } = pages[0] ?? {};
  if (shown.length >= unreadCount) return shown;
  const found: string[] = [];
  for (let page = 1; ; page++) {
    const response = await call('GET /v1/notifications', { query: { page, size: PAGE_SIZE_MAX } });
    found.push(...unreadIds(response.data));
    if (found.length >= response.unreadCount || page >= response.totalPages) return found;
  }
}

function unreadIds(notifications: readonly Notification[]): string[] {
  return notifications.filter(({ isRead }) => !isRead).map(({ id }) => id);
}

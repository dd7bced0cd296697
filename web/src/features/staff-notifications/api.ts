import type { Audience, NotificationText, SendBroadcastBody } from '@cellhop/contract/staff/notifications';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { listOptions, toList, useList } from '../../data/use-list.ts';

/** Polled, because deliveries have no live topic; more often while one of them is under way. */
export function useBroadcasts(page: number) {
  return useList(
    apiQuery('GET /v1/notifications/admin/broadcasts', { query: pageQuery(page) }, { topics: ['broadcasts'] }),
    {
      isPolled: true,
      isBusy: ({ sentAt }) => sentAt === null,
    },
  );
}

export function useCountRecipients() {
  return useAction({
    call: (audience: Audience) =>
      callForData('POST /v1/notifications/admin/broadcasts/recipients', { body: { audience } }),
  });
}

export function useSendBroadcast() {
  const { t } = useTranslation('staffContent');
  return useAction({
    call: (body: SendBroadcastBody, withKey) =>
      callForData('POST /v1/notifications/admin/broadcasts', { body }, withKey()),
    successText: () => t('broadcasts.sent'),
    changes: ['broadcasts'],
  });
}

export function useUserNotifications(userId: string, page: number) {
  const query = { userId, ...pageQuery(page) };
  const state = useApiQuery(
    apiQuery('GET /v1/notifications/admin', { query }, { topics: ['notifications'] }),
    listOptions({}),
  );
  return { ...toList(state), user: state.response?.user };
}

export function useNotifyUser(userId: string) {
  const { t } = useTranslation('staffContent');
  return useAction({
    call: (text: NotificationText, withKey) =>
      callForData('POST /v1/notifications/admin', { body: { userId, ...text } }, withKey()),
    successText: () => t('notifications.sent'),
    changes: ['notifications'],
  });
}

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
      isBusy: ({ sentAt, isWaiting, cancelled }) => sentAt === null && !isWaiting && cancelled === null,
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
    successText: ({ scheduledAt }) => t(scheduledAt === null ? 'broadcasts.sent' : 'broadcasts.scheduled'),
    changes: ['broadcasts'],
  });
}

/** Sends the texts to the member of staff alone. */
export function useTestBroadcast() {
  const { t } = useTranslation('staffContent');
  return useAction({
    call: ({ texts, isMailed }: Pick<SendBroadcastBody, 'texts' | 'isMailed'>) =>
      callForData('POST /v1/notifications/admin/broadcasts/test', { body: { texts, isMailed } }),
    successText: (_, { isMailed }) => t(isMailed ? 'broadcasts.test.mailed' : 'broadcasts.test.done'),
    changes: ['notifications'],
  });
}

export function useCancelBroadcast() {
  const { t } = useTranslation('staffContent');
  return useAction({
    call: (id: string) => callForData('POST /v1/notifications/admin/broadcasts/{id}/cancel', { params: { id } }),
    successText: () => t('broadcasts.cancel.done'),
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

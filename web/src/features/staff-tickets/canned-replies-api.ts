import type { CannedReply, CannedReplyBody } from '@cellhop/contract/staff/canned-replies';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, staffDependencies } from '../../data/query.ts';
import { shownInForm, useAction } from '../../data/use-action.ts';
import { useList } from '../../data/use-list.ts';

const changes = ['staff-tickets'] as const;

export function useCannedReplies() {
  return useList(apiQuery('GET /v1/support/admin/canned-replies', {}, staffDependencies('staff-tickets')));
}

/** @param reply undefined: a new one */
export function useSaveCannedReply(reply: CannedReply | undefined) {
  const { t } = useTranslation('staffSupport');
  return useAction({
    call: (body: CannedReplyBody, withKey) =>
      reply === undefined
        ? callForData('POST /v1/support/admin/canned-replies', { body }, withKey())
        : callForData('PATCH /v1/support/admin/canned-replies/{id}', {
            params: { id: reply.id },
            body: { ...body, version: reply.version },
          }),
    successText: ({ title }) => t('replies.saved', { title }),
    onError: shownInForm,
    changes,
  });
}

export function useDeleteCannedReply() {
  const { t } = useTranslation('staffSupport');
  return useAction({
    call: ({ id, version }: CannedReply) =>
      callForData('DELETE /v1/support/admin/canned-replies/{id}', { params: { id }, query: { version } }),
    successText: (_, { title }) => t('replies.deleted', { title }),
    changes,
  });
}

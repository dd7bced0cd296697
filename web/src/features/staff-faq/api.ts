import type { EndpointOutput } from '@cellhop/contract/endpoints';
import type { FaqEntry, FaqTexts } from '@cellhop/contract/staff/faq';
import { useTranslation } from 'react-i18next';
import { call, callForData } from '../../data/http.ts';
import { apiQuery, queryClient } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useList } from '../../data/use-list.ts';

const entriesQuery = apiQuery('GET /v1/faqs/admin', {}, { topics: ['faq'] });

export function useFaqEntries() {
  return useList(entriesQuery);
}

interface Saving {
  texts: FaqTexts;
  /** The entry as the member of staff saw it; undefined for a new one. */
  seen: Pick<FaqEntry, 'id' | 'version'> | undefined;
}

export function useSaveEntry() {
  const { t } = useTranslation('staffContent');
  return useAction({
    call: async ({ texts, seen }: Saving, withKey) => {
      if (seen === undefined) return callForData('POST /v1/faqs/admin', { body: { texts } }, withKey());
      const { id, version } = seen;
      return callForData('PATCH /v1/faqs/admin/{id}', { params: { id }, body: { texts, version } });
    },
    successText: () => t('faq.saved'),
    changes: ['faq'],
  });
}

interface Move {
  entry: FaqEntry;
  direction: 'UP' | 'DOWN';
}

export function useMoveEntry() {
  return useAction({
    call: async ({ entry: { id, version }, direction }: Move) =>
      call('POST /v1/faqs/admin/{id}/move', { params: { id }, body: { direction, version } }),
    onSuccess: async (entries) => {
      await queryClient.cancelQueries({ queryKey: entriesQuery.queryKey });
      queryClient.setQueryData<EndpointOutput<'GET /v1/faqs/admin'>>(entriesQuery.queryKey, entries);
    },
    changes: ['faq'],
  });
}

export function useDeleteEntry() {
  const { t } = useTranslation('staffContent');
  return useAction({
    call: ({ id, version }: FaqEntry) =>
      callForData('DELETE /v1/faqs/admin/{id}', { params: { id }, query: { version } }),
    successText: () => t('faq.deleted'),
    changes: ['faq'],
  });
}

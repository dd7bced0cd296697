import type { RefusedDestination } from '@cellhop/contract/staff/refused-destinations';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery } from '../../data/query.ts';
import { shownInForm, useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';
import { formatCount } from '../../format/format.ts';

const DEPENDENCIES = { topics: ['staff-catalogue'] } as const;
/** A list of fifty thousand lines. */
const IMPORT_TIMEOUT_MS = 60_000;

interface DestinationsFilter {
  search?: string | undefined;
  list?: string | undefined;
}

export function useDestinations({ page, ...filter }: DestinationsFilter & { page: number }) {
  const query = { ...filter, ...pageQuery(page) };
  return useList(apiQuery('GET /v1/proxies/admin/refused-destinations', { query }, DEPENDENCIES));
}

export function useDestinationLists() {
  return useApiQuery(apiQuery('GET /v1/proxies/admin/destination-lists', {}, DEPENDENCIES));
}

export function useAllow() {
  const { t } = useTranslation('staffDestinations');
  return useAction({
    call: ({ id }: RefusedDestination) =>
      callForData('DELETE /v1/proxies/admin/refused-destinations/{id}', { params: { id } }),
    successText: (_, { destination }) => t('allow.done', { destination }),
    changes: ['staff-catalogue'],
  });
}

export function useImportList() {
  const { t } = useTranslation('staffDestinations');
  return useAction({
    call: ({ list, file }: { list: string; file: File }) =>
      callForData(
        'POST /v1/proxies/admin/destination-lists',
        { query: { list } },
        { file: { type: 'text/plain', content: file }, timeoutMs: IMPORT_TIMEOUT_MS },
      ),
    successText: ({ errorCount, entries }, { list }) =>
      errorCount > 0
        ? { warning: t('import.refused') }
        : t('import.done', { list, count: entries, number: formatCount(entries) }),
    onError: shownInForm,
    changes: ['staff-catalogue'],
  });
}

export function useRemoveList() {
  const { t } = useTranslation('staffDestinations');
  return useAction({
    call: (list: string) => callForData('DELETE /v1/proxies/admin/destination-lists', { query: { list } }),
    successText: ({ list }) => t('lists.removed', { list }),
    changes: ['staff-catalogue'],
  });
}

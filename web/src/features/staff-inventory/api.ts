import type {
  InventoryChange,
  CheckedImport,
  InventoryFilter,
  PriceChange,
  Selection,
} from '@cellhop/contract/staff/inventory';
import { type FileFormat, type InventorySort } from '@cellhop/contract/staff/inventory.values';
import { useTranslation } from 'react-i18next';
import { downloadText } from '../../data/download-text.ts';
import { call } from '../../data/http.ts';
import { apiQuery } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';

/** Files and bulk changes of a hundred thousand proxies. */
const LONG_TIMEOUT_MS = 300_000;

export function useInventory(filter: InventoryFilter, sort: InventorySort | undefined, page: number) {
  return useList(
    apiQuery(
      'GET /v1/proxies/admin',
      { query: { ...filter, sort, page } },
      { topics: ['catalogue', 'staff-catalogue'] },
    ),
  );
}

/** The newest bulk changes and imports, which the worker applies. */
export function useInventoryChanges() {
  return useList(apiQuery('GET /v1/proxies/admin/changes', {}, { topics: ['catalogue', 'staff-catalogue'] }), {
    isBusy: isUnfinished,
  });
}

export function useRetryChange() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: async ({ id }: InventoryChange) =>
      (await call('POST /v1/proxies/admin/changes/{id}/retry', { params: { id } })).data,
    successText: () => t('changes.ordered'),
    changes: ['staff-catalogue'],
  });
}

export function useDismissChange() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: async ({ id }: InventoryChange) =>
      (await call('POST /v1/proxies/admin/changes/{id}/dismiss', { params: { id } })).data,
    successText: () => t('changes.dismissed'),
    changes: ['staff-catalogue'],
  });
}

export const isUnfinished = ({ status }: InventoryChange): boolean => status === 'WAITING' || status === 'RUNNING';

/** How many proxies a bulk change would touch, while its dialog is open. */
export function useSelection(filter: InventoryFilter, isEnabled: boolean) {
  return useApiQuery(apiQuery('GET /v1/proxies/admin/selection', { query: filter }, { topics: ['catalogue'] }), {
    isEnabled,
  });
}

export function useExport() {
  return useAction({
    call: ({ filter, format }: { filter: InventoryFilter; format: FileFormat }) =>
      call('GET /v1/proxies/admin/export', { query: { ...filter, format } }, { timeoutMs: LONG_TIMEOUT_MS }),
    onSuccess: (text, { format }) => downloadText(`proxies.${format}`, text),
  });
}

export interface Seen {
  filter: InventoryFilter;
  selection: Selection;
  reason: string | undefined;
}

function toBody({ filter, selection: { count, fingerprint }, reason }: Seen) {
  return { filter, count, fingerprint, reason };
}

export function useChangePrices() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: async ({ change, ...seen }: Seen & { change: PriceChange }) =>
      (
        await call(
          'POST /v1/proxies/admin/prices',
          { body: { ...toBody(seen), change } },
          { timeoutMs: LONG_TIMEOUT_MS },
        )
      ).data,
    successText: () => t('changes.ordered'),
    changes: ['catalogue'],
  });
}

export function useRetire() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: async (seen: Seen) =>
      (await call('POST /v1/proxies/admin/retire', { body: toBody(seen) }, { timeoutMs: LONG_TIMEOUT_MS })).data,
    successText: () => t('changes.ordered'),
    changes: ['catalogue'],
  });
}

export function useRestore() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: async (seen: Seen) =>
      (await call('POST /v1/proxies/admin/restore', { body: toBody(seen) }, { timeoutMs: LONG_TIMEOUT_MS })).data,
    successText: () => t('changes.ordered'),
    changes: ['catalogue'],
  });
}

export function useCheckImport() {
  return useAction({
    call: async (file: File): Promise<CheckedImport> => {
      const format: FileFormat = file.name.toLowerCase().endsWith('.json') ? 'json' : 'csv';
      const type = format === 'json' ? 'application/json' : 'text/csv';
      const query = { format, fileName: file.name.slice(-200) };
      const options = { file: { type, content: file }, timeoutMs: LONG_TIMEOUT_MS };
      return (await call('POST /v1/proxies/admin/imports', { query }, options)).data;
    },
  });
}

export function useApplyImport() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: async (id: string) =>
      (await call('POST /v1/proxies/admin/imports/{id}/apply', { params: { id } }, { timeoutMs: LONG_TIMEOUT_MS }))
        .data,
    successText: () => t('changes.ordered'),
    changes: ['catalogue'],
  });
}

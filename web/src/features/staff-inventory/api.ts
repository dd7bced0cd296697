import type { ConnectionLimits } from '@cellhop/contract/connection-limits';
import type {
  InventoryChange,
  CheckedImport,
  InventoryFilter,
  InventoryProxy,
  PriceChange,
  Selection,
} from '@cellhop/contract/staff/inventory';
import type { RotationChange } from '@cellhop/contract/staff/exit-rotation';
import { type FileFormat, type InventorySort } from '@cellhop/contract/staff/inventory.values';
import type { ImportDefaults } from '@cellhop/contract/staff/import-lines';
import type { TrafficChange } from '@cellhop/contract/staff/traffic-budgets';
import type { WaitingProxy } from '@cellhop/contract/staff/waiting-proxies';
import { useTranslation } from 'react-i18next';
import { downloadText } from '../../data/download-text.ts';
import { call, callForData } from '../../data/http.ts';
import { apiQuery, pageQuery } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { useList } from '../../data/use-list.ts';

/** Files and bulk changes of a hundred thousand proxies. */
const LONG_TIMEOUT_MS = 300_000;

export function useInventory(filter: InventoryFilter, sort: InventorySort | undefined, page: number) {
  return useList(
    apiQuery(
      'GET /v1/proxies/admin',
      { query: { ...filter, sort, ...pageQuery(page) } },
      { topics: ['catalogue', 'staff-catalogue'] },
    ),
  );
}

/** The checks of an exit on each of the last days. */
export function useExitDays(exitId: string) {
  return useApiQuery(
    apiQuery('GET /v1/proxies/admin/exits/{id}/days', { params: { id: exitId } }, { topics: ['staff-catalogue'] }),
  );
}

/** The first page of imported lines whose address is not known yet. */
export function useWaiting() {
  return useList(
    apiQuery('GET /v1/proxies/admin/waiting', { query: pageQuery(1) }, { topics: ['catalogue', 'staff-catalogue'] }),
  );
}

export function useRemoveWaiting() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: ({ exitId }: WaitingProxy) =>
      callForData('DELETE /v1/proxies/admin/waiting/{id}', { params: { id: exitId } }),
    successText: () => t('waiting.removed'),
    changes: ['staff-catalogue'],
  });
}

/** The newest bulk changes and imports, which the worker applies. */
export function useInventoryChanges() {
  return useList(apiQuery('GET /v1/proxies/admin/changes', {}, { topics: ['catalogue', 'staff-catalogue'] }), {
    isBusy: isUnfinished,
  });
}

/** What staff do about a failed change. */
export function useDecideChange(decision: 'retry' | 'dismiss') {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: ({ id }: InventoryChange) =>
      callForData(`POST /v1/proxies/admin/changes/{id}/${decision}`, { params: { id } }),
    successText: () => t(decision === 'retry' ? 'changes.ordered' : 'changes.dismissed'),
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

export function useChangeLimits() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: ({ id, change }: { id: string; change: ConnectionLimits & { reason: string | undefined } }) =>
      callForData('PUT /v1/proxies/admin/{id}/limits', { params: { id }, body: change }),
    successText: () => t('limits.saved'),
    changes: ['staff-catalogue'],
  });
}

export function useChangeRotation() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: ({ exitId, body }: { exitId: string; body: RotationChange }) =>
      callForData('PUT /v1/proxies/admin/exits/{id}/rotation', { params: { id: exitId }, body }),
    successText: () => t('rotation.saved'),
    changes: ['staff-catalogue'],
  });
}

export const exitTraffic = (id: string) => apiQuery('GET /v1/proxies/admin/exits/{id}/traffic', { params: { id } });

export function useChangeExitTraffic() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: ({ id, body }: { id: string; body: TrafficChange }) =>
      callForData('PATCH /v1/proxies/admin/exits/{id}/traffic', { params: { id }, body }),
    successText: () => t('budget.saved'),
    changes: ['staff-catalogue'],
  });
}

/** Of an exit of 0.4.0, whose names its gateway resolves. */
export function useResolveThrough() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: (exitId: string) =>
      callForData('PUT /v1/proxies/admin/exits/{id}/names', { params: { id: exitId }, body: { names: 'exit' } }),
    successText: () => t('history.resolvedThrough'),
    changes: ['staff-catalogue'],
  });
}

/** The outcome arrives with the next live event. */
export function useCheckNow() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: async ({ exit }: InventoryProxy) =>
      (await call('POST /v1/proxies/admin/exits/{id}/check', { params: { id: exit.id } })).data,
    successText: () => t('check.ordered'),
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
    call: ({ change, ...seen }: Seen & { change: PriceChange }) =>
      callForData(
        'POST /v1/proxies/admin/prices',
        { body: { ...toBody(seen), change } },
        { timeoutMs: LONG_TIMEOUT_MS },
      ),
    successText: () => t('changes.ordered'),
    changes: ['catalogue'],
  });
}

export function useChangeRetirement(change: 'retire' | 'restore') {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: (seen: Seen) =>
      callForData(`POST /v1/proxies/admin/${change}`, { body: toBody(seen) }, { timeoutMs: LONG_TIMEOUT_MS }),
    successText: () => t('changes.ordered'),
    changes: ['catalogue'],
  });
}

export function useCheckImport() {
  return useAction({
    call: async ({ file, defaults }: { file: File; defaults: ImportDefaults }): Promise<CheckedImport> => {
      const format: FileFormat = file.name.toLowerCase().endsWith('.json') ? 'json' : 'csv';
      const type = format === 'json' ? 'application/json' : 'text/csv';
      const query = { format, fileName: file.name.slice(-200), ...defaults };
      const options = { file: { type, content: file }, timeoutMs: LONG_TIMEOUT_MS };
      return callForData('POST /v1/proxies/admin/imports', { query }, options);
    },
  });
}

export function useApplyImport() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: (id: string) =>
      callForData('POST /v1/proxies/admin/imports/{id}/apply', { params: { id } }, { timeoutMs: LONG_TIMEOUT_MS }),
    successText: () => t('changes.ordered'),
    changes: ['catalogue'],
  });
}

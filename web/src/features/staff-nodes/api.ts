import type { GatewayNode } from '@cellhop/contract/staff/nodes';
import { useTranslation } from 'react-i18next';
import { call } from '../../data/http.ts';
import { apiQuery } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';

/** Nodes send no live events, so the list is polled. */
export function useNodes() {
  return useApiQuery(apiQuery('GET /v1/nodes/admin', {}, { topics: ['catalogue'] }), { isPolled: true });
}

interface Drain {
  node: GatewayNode;
  reason: string | undefined;
}

/** Starts or ends the draining of a node. */
export function useDrainNode() {
  const { t } = useTranslation('staffInventory');
  return useAction({
    call: async ({ node: { id, isDraining, version }, reason }: Drain) =>
      (await call('PATCH /v1/nodes/admin/{id}', { params: { id }, body: { isDraining: !isDraining, version, reason } }))
        .data,
    successText: ({ name, isDraining }) => t(isDraining ? 'drain.done' : 'undrain.done', { name }),
    changes: ['catalogue'],
  });
}

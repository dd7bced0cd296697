import type { EndpointInput } from '@cellhop/contract/endpoints';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { shownInForm, useAction } from '../../data/use-action.ts';

/** Refuses a destination to all customers. */
export function useRefuse() {
  const { t } = useTranslation('staffDestinations');
  return useAction({
    call: (body: EndpointInput<'POST /v1/proxies/admin/refused-destinations'>['body']) =>
      callForData('POST /v1/proxies/admin/refused-destinations', { body }),
    successText: ({ destination }) => t('refuse.done', { destination }),
    onError: shownInForm,
    changes: ['staff-catalogue'],
  });
}

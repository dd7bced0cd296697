import { ApiError } from '@cellhop/contract/client';
import type { CreatePromoCodeBody, PromoCode } from '@cellhop/contract/staff/promo-codes';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, pageQuery, staffDependencies } from '../../data/query.ts';
import { showToast } from '../../ui/toasts.ts';
import { useAction } from '../../data/use-action.ts';
import { useList } from '../../data/use-list.ts';
import { useWaiting } from '../staff-parts/approval-hint.tsx';
import type { PromoCodesFilter } from './screen.ts';

export function usePromoCodes({ page, ...filter }: PromoCodesFilter & { page: number }) {
  const query = { ...filter, ...pageQuery(page) };
  const dependencies = staffDependencies('promoCodes', 'staff-promo-codes');
  return useList(apiQuery('GET /v1/referral-system/promo-codes/admin', { query }, dependencies));
}

export function useCreatePromoCode() {
  const { t } = useTranslation('staffContent');
  const waiting = useWaiting('PROMO_CODE');
  return useAction({
    call: (body: CreatePromoCodeBody, withKey) =>
      callForData('POST /v1/referral-system/promo-codes/admin', { body }, withKey()),
    successText: ({ code, heldBecause }) =>
      heldBecause === 'APPROVAL'
        ? waiting(t('promoCodes.create.waits', { code }))
        : t('promoCodes.create.done', { code }),
    onError: (error) => {
      const code = error instanceof ApiError ? error.code : undefined;
      if (code !== 'CODE_EXISTS' && code !== 'REFERRAL_NOT_FOUND') return undefined;
      showToast('error', t(`promoCodes.create.errors.${code}`));
      return 'HANDLED';
    },
    changes: ['promoCodes', 'staff-promo-codes'],
  });
}

interface Disabling {
  promoCode: PromoCode;
  reason: string | undefined;
}

export function useDisablePromoCode() {
  const { t } = useTranslation('staffContent');
  return useAction({
    call: ({ promoCode: { id, version }, reason }: Disabling) =>
      callForData('POST /v1/referral-system/promo-codes/admin/{id}/disable', {
        params: { id },
        body: { reason, version },
      }),
    successText: ({ code }) => t('promoCodes.disable.done', { code }),
    changes: ['promoCodes'],
  });
}

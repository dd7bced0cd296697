import type { Connection } from '@cellhop/contract/connections';
import { refusalReasons } from '@cellhop/contract/refusals.values';
import { useTranslation } from 'react-i18next';
import { formatAge } from '../../format/format.ts';
import { useShopTimes } from '../../hooks/use-shop-times.ts';
import { useTenSeconds } from '../../hooks/use-ten-seconds.ts';

/** Why a program was last refused, and when. Most programs do not show it. */
export function LastRefusal({ refusal: { reason, refusedAt } }: { refusal: NonNullable<Connection['lastRefusal']> }) {
  const { t } = useTranslation('proxyConnection');
  const now = useTenSeconds();
  const times = useShopTimes();
  const known = refusalReasons.find((each) => each === reason);
  const text = known === undefined ? t('refusals.other', { code: reason }) : t(`refusals.${known}`, times);
  return t('detail.refused', { reason: text, ago: formatAge(refusedAt, now) });
}

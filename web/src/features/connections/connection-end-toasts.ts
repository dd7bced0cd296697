import type { Connection } from '@cellhop/contract/connections';
import i18next from 'i18next';
import { topUpLink } from '../../data/error-text.ts';
import { currentSettings } from '../../data/settings.ts';
import { shopTimes } from '../../hooks/use-shop-times.ts';
import { readLanguage } from '../../i18n/languages.ts';
import { showToast } from '../../ui/toasts.ts';

type EndableConnection = Pick<Connection, 'id' | 'ip' | 'status' | 'endReason'>;

/**
 * Connections that ended since the previous response, and not by their user. A new one, bought through the API, may
 * have ended before it was ever seen active.
 * @param before - newest first, like `now`
 */
export function findEnded<Row extends EndableConnection>(before: readonly Row[], now: readonly Row[]): Row[] {
  const working = new Set(before.filter(({ status }) => status === 'WORK').map(({ id }) => id));
  const newestKnown = now.findIndex(({ id }) => id === before[0]?.id);
  const isNew = (index: number) => before.length === 0 || index < newestKnown;
  return now.filter(
    ({ id, endReason }, index) => (working.has(id) || isNew(index)) && endReason !== null && endReason !== 'USER',
  );
}

/** Shown on every screen, because the user's programs have just lost their proxy. */
export function showEndToasts(before: readonly EndableConnection[], now: readonly EndableConnection[]): void {
  const times = shopTimes(currentSettings(), readLanguage(i18next));
  for (const { ip, endReason } of findEnded(before, now))
    if (endReason !== null && endReason !== 'USER')
      showToast(
        'warning',
        i18next.t(`ended.${endReason}`, { ip, ...times }),
        endReason === 'NO_MONEY' ? topUpLink() : undefined,
      );
}

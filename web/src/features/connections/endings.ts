import type { Connection } from '@cellhop/contract/connections';
import i18next from 'i18next';
import { showToast } from '../../lib/toasts.ts';

type Known = Pick<Connection, 'id' | 'ip' | 'status' | 'endReason'>;

/** Those that worked when we last looked, and have ended by something else than their user's own hand. */
export function endedMeanwhile<Row extends Known>(before: readonly Row[], now: readonly Row[]): Row[] {
  const working = new Set(before.filter(({ status }) => status === 'WORK').map(({ id }) => id));
  return now.filter(({ id, endReason }) => working.has(id) && endReason !== null && endReason !== 'USER');
}

/** Whatever screen he is on: his programs have just lost their way out. */
export function tellOfEndings(before: readonly Known[], now: readonly Known[]): void {
  for (const { ip, endReason } of endedMeanwhile(before, now))
    if (endReason !== null && endReason !== 'USER') showToast('warning', i18next.t(`ended.${endReason}`, { ip }));
}

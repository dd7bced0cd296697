import type { Connection } from '@cellhop/contract/connections';
import i18next from 'i18next';
import { showToast } from '../../lib/toasts.ts';

type Known = Pick<Connection, 'id' | 'ip' | 'status' | 'endReason'>;

/**
 * Those that have come to an end since we last looked, by something else than their user's own hand. One that began
 * since then, bought by a program of his, may have ended before it was ever seen working.
 * @param before - newest first, as is `now`
 */
export function endedMeanwhile<Row extends Known>(before: readonly Row[], now: readonly Row[]): Row[] {
  const working = new Set(before.filter(({ status }) => status === 'WORK').map(({ id }) => id));
  const newestKnown = now.findIndex(({ id }) => id === before[0]?.id);
  const isNew = (index: number) => before.length === 0 || index < newestKnown;
  return now.filter(
    ({ id, endReason }, index) => (working.has(id) || isNew(index)) && endReason !== null && endReason !== 'USER',
  );
}

/** Whatever screen he is on: his programs have just lost their way out. */
export function tellOfEndings(before: readonly Known[], now: readonly Known[]): void {
  for (const { ip, endReason } of endedMeanwhile(before, now))
    if (endReason !== null && endReason !== 'USER') showToast('warning', i18next.t(`ended.${endReason}`, { ip }));
}

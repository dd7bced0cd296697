import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { useTenSeconds } from '../../hooks/use-ten-seconds.ts';
import { roundDurationText } from '../staff-parts/duration.ts';

/** How long a customer has been waiting for staff: "waits 3 h". The tooltip has the exact time. */
export function Wait({ since }: { since: string }) {
  const { t } = useTranslation(['staff', 'staffSupport']);
  const seconds = Math.max(0, (useTenSeconds() - Date.parse(since)) / 1000);
  return (
    <time dateTime={since} title={formatDate(since)}>
      {t('staffSupport:list.waits', { duration: roundDurationText(seconds, t) })}
    </time>
  );
}

import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../format/format.ts';
import { useFirstReplies } from './api.ts';
import { toDuration } from './duration.ts';
import { replyDays, type ReplyDays } from './screen.ts';
import classes from './tickets-page.module.css';

interface FirstReplyProps {
  days: ReplyDays;
  onDays: (days: ReplyDays) => void;
}

/** The median time to the first reply. */
export function FirstReply({ days, onDays }: FirstReplyProps) {
  const { t } = useTranslation('staffSupport');
  const measured = useFirstReplies(Number(days));
  return (
    <div className={classes['reply']}>
      <p>
        {t('firstReply.label')}{' '}
        <strong>{measured === undefined ? '…' : <Median seconds={measured.medianSeconds} />}</strong>{' '}
        {measured !== undefined && t('firstReply.tickets', { tickets: formatCount(measured.ticketCount) })}
      </p>
      <Select
        className={classes['days'] ?? ''}
        aria-label={t('firstReply.range')}
        data={replyDays.map((each) => ({ value: each, label: t(`firstReply.last.${each}`) }))}
        value={days}
        allowDeselect={false}
        onChange={(chosen) => chosen !== null && onDays(chosen)}
      />
    </div>
  );
}

function Median({ seconds }: { seconds: number | null }) {
  const { t } = useTranslation('staffSupport');
  if (seconds === null) return t('firstReply.none');
  const { unit, values } = toDuration(seconds);
  return t(`firstReply.${unit}`, values);
}

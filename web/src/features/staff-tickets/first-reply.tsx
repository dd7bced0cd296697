import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../format/format.ts';
import { durationText } from '../staff-parts/duration.ts';
import { useFirstReplies } from './api.ts';
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
  const { t } = useTranslation(['staff', 'staffSupport']);
  return seconds === null ? t('staffSupport:firstReply.none') : durationText(seconds, t);
}

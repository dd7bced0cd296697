import type { Broadcast } from '@cellhop/contract/staff/notifications';
import { useTranslation } from 'react-i18next';
import { FALLBACK_LANGUAGE, isLanguage } from '../../i18n/languages.ts';
import { formatCount, formatDate } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { NotificationHtml } from '../notifications/notification-html.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';
import { audienceWords } from './audience-words.ts';
import { formatRecipients } from './recipient-count.ts';
import classes from './staff-notifications.module.css';

export function BroadcastsTable({ broadcasts }: { broadcasts: readonly Broadcast[] | undefined }) {
  const { t, i18n } = useTranslation(['staffContent', 'common']);
  const language = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : FALLBACK_LANGUAGE;
  const columns: Column<Broadcast>[] = [
    {
      key: 'createdAt',
      header: t('broadcasts.createdAt'),
      isUnbroken: true,
      place: 'heading',
      render: ({ createdAt }) => <time dateTime={createdAt}>{formatDate(createdAt)}</time>,
    },
    {
      key: 'text',
      header: t('notifications.description'),
      render: ({ texts }) => (
        <div className={classes['text']}>
          <NotificationHtml html={texts[language].description} onLeave={undefined} />
        </div>
      ),
    },
    {
      key: 'audience',
      header: t('broadcasts.audience'),
      render: ({ audience }) => (
        <ul className={classes['words']}>
          {audienceWords(audience, t).map((word) => (
            <li key={word}>{word}</li>
          ))}
        </ul>
      ),
    },
    { key: 'progress', header: t('broadcasts.progress'), render: (broadcast) => <Progress broadcast={broadcast} /> },
    {
      key: 'author',
      header: t('broadcasts.author'),
      render: ({ createdBy }) => (createdBy === null ? t('broadcasts.program') : <UserLink user={createdBy} />),
    },
  ];
  return (
    <DataTable label={t('broadcasts.label')} columns={columns} rows={broadcasts} rowKey={({ id }) => id} isDense />
  );
}

function Progress({ broadcast: { readerCount, recipientCount, sentAt } }: { broadcast: Broadcast }) {
  const { t } = useTranslation('staffContent');
  const sent = formatCount(readerCount);
  if (sentAt !== null)
    return (
      <div className={classes['progress']}>
        {t('broadcasts.delivered', { sent })}
        <time dateTime={sentAt}>{formatDate(sentAt)}</time>
      </div>
    );
  if (recipientCount === null) return t('broadcasts.delivered', { sent });
  return (
    <div className={classes['progress']}>
      {t('broadcasts.delivering', { sent, total: formatRecipients(recipientCount) })}
      <progress
        aria-label={t('broadcasts.progress')}
        value={readerCount}
        max={Math.max(recipientCount, readerCount, 1)}
      />
    </div>
  );
}

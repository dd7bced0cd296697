import type { Broadcast } from '@cellhop/contract/staff/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../format/format.ts';
import { FALLBACK_LANGUAGE, isLanguage } from '../../i18n/languages.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { CreateButton } from '../../ui/create-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { timeColumn, Time } from '../../ui/columns.tsx';
import { NotificationHtml } from '../notifications/notification-html.tsx';
import { ListHead } from '../staff-parts/list-head.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { useBroadcasts } from './api.ts';
import { audienceWords, fewRecipients, formatRecipients } from './audience-words.ts';
import { BroadcastFields } from './broadcast-fields.tsx';
import { broadcastsScreen } from './screen.ts';
import classes from './staff-notifications.module.css';

export function BroadcastsPage() {
  const [{ page = 1 }, change] = useScreenSearch(broadcastsScreen);
  const { t } = useTranslation('staffContent');
  const broadcasts = useBroadcasts(page);
  const canSend = usePermission('MASS_NOTIFICATIONS_WRITE');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      {canSend && (
        <ListHead actions={<CreateButton text={t('broadcasts.create')} onClick={() => setCreating(true)} />} />
      )}
      <PagedList
        list={broadcasts}
        page={page}
        onPage={(chosen) => change({ page: chosen })}
        failureText={t('broadcasts.failed')}
        empty={<EmptyList text={t('broadcasts.empty')} />}
      >
        {(rows) => <BroadcastsTable broadcasts={rows} />}
      </PagedList>
      <Dialog isOpen={isCreating} title={t('broadcasts.create')} size="lg" onClose={() => setCreating(false)}>
        <BroadcastFields onSent={() => setCreating(false)} />
      </Dialog>
    </>
  );
}

function BroadcastsTable({ broadcasts }: { broadcasts: readonly Broadcast[] | undefined }) {
  const { t, i18n } = useTranslation(['staffContent', 'common']);
  const language = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : FALLBACK_LANGUAGE;
  const columns: Column<Broadcast>[] = [
    { ...timeColumn('createdAt', t('broadcasts.createdAt')), isUnbroken: true, place: 'heading' },
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

function Progress({ broadcast: { readerCount, recipientCount, sentAt, isForFew } }: { broadcast: Broadcast }) {
  const { t } = useTranslation(['staffContent', 'common']);
  const sent = isForFew ? fewRecipients(t) : formatCount(readerCount);
  if (sentAt !== null)
    return (
      <div className={classes['progress']}>
        {t('broadcasts.delivered', { sent })}
        <Time at={sentAt} />
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

import type { Broadcast } from '@cellhop/contract/staff/notifications';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDate } from '../../format/format.ts';
import { FALLBACK_LANGUAGE, isLanguage } from '../../i18n/languages.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { CreateButton } from '../../ui/create-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { RowButton, timeColumn, Time } from '../../ui/columns.tsx';
import { NotificationHtml } from '../notifications/notification-html.tsx';
import { ListHead } from '../staff-parts/list-head.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { useBroadcasts, useCancelBroadcast } from './api.ts';
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
  const cancelling = useRowSnapshot<Broadcast>();
  const cancel = useCancelBroadcast();
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
        {(rows) => <BroadcastsTable broadcasts={rows} onCancel={canSend ? cancelling.open : undefined} />}
      </PagedList>
      <Dialog isOpen={isCreating} title={t('broadcasts.create')} size="lg" onClose={() => setCreating(false)}>
        <BroadcastFields onSent={() => setCreating(false)} />
      </Dialog>
      <ConfirmDialog
        isOpen={cancelling.isOpen}
        title={t('broadcasts.cancel.title')}
        text={t('broadcasts.cancel.text')}
        action={t('broadcasts.cancel.action')}
        isDangerous
        isWorking={cancel.isRunning}
        onConfirm={async () => {
          if (cancelling.row !== undefined) await cancel.run(cancelling.row.id);
          cancelling.close();
        }}
        onClose={cancelling.close}
      />
    </>
  );
}

interface BroadcastsTableProps {
  broadcasts: readonly Broadcast[] | undefined;
  /** Undefined if the member of staff may not send broadcasts. */
  onCancel: ((broadcast: Broadcast) => void) | undefined;
}

function BroadcastsTable({ broadcasts, onCancel }: BroadcastsTableProps) {
  const { t, i18n } = useTranslation(['staffContent', 'common']);
  const language = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : FALLBACK_LANGUAGE;
  const columns: Column<Broadcast>[] = [
    { ...timeColumn('createdAt', t('broadcasts.createdAt')), isUnbroken: true, place: 'heading' },
    {
      key: 'text',
      header: t('notifications.description'),
      place: 'line',
      render: ({ texts, audience }) => (
        <div className={classes['text']}>
          <NotificationHtml html={texts[audience.languageCode ?? language].description} onLeave={undefined} />
        </div>
      ),
    },
    {
      key: 'audience',
      header: t('broadcasts.audience'),
      place: 'line',
      render: ({ audience }) => (
        <ul className={classes['words']}>
          {audienceWords(audience, t).map((word) => (
            <li key={word}>{word}</li>
          ))}
        </ul>
      ),
    },
    {
      key: 'progress',
      header: t('broadcasts.progress'),
      place: 'line',
      render: (broadcast) => <Progress broadcast={broadcast} />,
    },
    {
      key: 'author',
      header: t('broadcasts.author'),
      place: 'line',
      render: ({ createdBy }) => (createdBy === null ? t('broadcasts.program') : <UserLink user={createdBy} />),
    },
    {
      key: 'action',
      header: t('promoCodes.action'),
      place: 'action',
      render: (broadcast) =>
        broadcast.canCancel &&
        onCancel !== undefined && (
          <RowButton
            isDestructive
            text={t('broadcasts.cancel.action')}
            label={t('broadcasts.cancel.of', { time: formatDate(broadcast.scheduledAt ?? broadcast.createdAt) })}
            onClick={() => onCancel(broadcast)}
          />
        ),
    },
  ];
  return (
    <DataTable label={t('broadcasts.label')} columns={columns} rows={broadcasts} rowKey={({ id }) => id} isDense />
  );
}

function Progress({ broadcast }: { broadcast: Broadcast }) {
  const { t } = useTranslation('staffContent');
  const { isWaiting, scheduledAt, cancelled } = broadcast;
  if (cancelled !== null) {
    const { at, by } = cancelled;
    return (
      <div className={classes['progress']}>
        {by === null ? t('broadcasts.cancel.byProgram') : t('broadcasts.cancel.by', { email: by.email })}
        <Time at={at} />
      </div>
    );
  }
  if (isWaiting && scheduledAt !== null)
    return (
      <div className={classes['progress']}>
        {t('broadcasts.waits')}
        <Time at={scheduledAt} />
      </div>
    );
  return <Delivery broadcast={broadcast} />;
}

function Delivery({ broadcast }: { broadcast: Broadcast }) {
  const { t } = useTranslation(['staffContent', 'common']);
  const { readerCount, recipientCount, sentAt, isForFew, isMailed, mailCount } = broadcast;
  const sent = isForFew ? fewRecipients(t) : formatCount(readerCount);
  if (sentAt !== null)
    return (
      <div className={classes['progress']}>
        {t('broadcasts.delivered', { sent })}
        {isMailed &&
          (isForFew ? t('broadcasts.mailsToFew') : t('broadcasts.mails', { number: formatCount(mailCount) }))}
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

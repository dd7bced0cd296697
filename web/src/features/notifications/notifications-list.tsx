import type { Notification } from '@cellhop/contract/notifications';
import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import type { useNotifications } from './api.ts';
import { NotificationHtml } from './notification-html.tsx';
import classes from './notifications.module.css';

interface NotificationsListProps {
  notifications: ReturnType<typeof useNotifications>;
  onLeave: () => void;
}

const PLACEHOLDERS = ['1', '2', '3'];

/** Content of the popup; mounted while it is open. */
export function NotificationsList({ notifications, onLeave }: NotificationsListProps) {
  const { t } = useTranslation(['notification', 'common']);
  const { data, isError, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = notifications;
  const rows = data?.pages.flatMap((page) => page.data);
  const fresh = useUnreadOnOpen(rows ?? []);
  return (
    <>
      <h2 className={classes['title']}>{t('title')}</h2>
      {rows === undefined && isError ? (
        <div className={classes['failure']} role="alert">
          <p>{t('failed')}</p>
          <Button variant="default" size="compact-sm" onClick={() => void refetch()}>
            {t('common:tryAgain')}
          </Button>
        </div>
      ) : rows?.length === 0 ? (
        <p className={classes['empty']}>{t('empty')}</p>
      ) : (
        // A scrollable region must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <section className={classes['scroll']} tabIndex={0} aria-label={t('title')} aria-busy={rows === undefined}>
          <ul>
            {rows === undefined
              ? PLACEHOLDERS.map((key) => (
                  <li key={key} className={classes['item']}>
                    <Skeleton height={14} width="35%" mb={8} />
                    <Skeleton height={16} />
                  </li>
                ))
              : rows.map((row) => (
                  <NotificationItem key={row.id} notification={row} isFresh={fresh.has(row.id)} onLeave={onLeave} />
                ))}
          </ul>
          {hasNextPage && (
            <Button
              fullWidth
              variant="subtle"
              size="sm"
              loading={isFetchingNextPage}
              onClick={() => void fetchNextPage()}
            >
              {t('older')}
            </Button>
          )}
        </section>
      )}
    </>
  );
}

interface NotificationItemProps {
  notification: Omit<Notification, 'id' | 'isRead'>;
  isFresh: boolean;
  onLeave: (() => void) | undefined;
}

export function NotificationItem({ notification, isFresh, onLeave }: NotificationItemProps) {
  const { t } = useTranslation('notification');
  const { description, content, createdAt } = notification;
  return (
    <li className={classes['item']} data-fresh={isFresh}>
      <p className={classes['date']}>
        <time dateTime={createdAt}>{formatDate(createdAt)}</time>
        {isFresh && <span className={classes['fresh']}>{t('fresh')}</span>}
      </p>
      <div className={classes['description']}>
        <NotificationHtml html={description} onLeave={onLeave} />
      </div>
      {content !== null && (
        <div className={classes['content']}>
          <NotificationHtml html={content} onLeave={onLeave} />
        </div>
      )}
    </li>
  );
}

/** Opening the popup marks all as read; those that were unread stay highlighted until it closes. */
function useUnreadOnOpen(rows: readonly Notification[]): ReadonlySet<string> {
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const added = rows.filter(({ id, isRead }) => !isRead && !fresh.has(id));
  if (added.length > 0) setFresh(new Set([...fresh, ...added.map(({ id }) => id)]));
  return fresh;
}

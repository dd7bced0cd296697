import { ActionIcon, Popover } from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { IconBell } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { forgetOlderPages, useMarkAllRead, useNotifications } from './api.ts';
import classes from './notifications.module.css';
import { NotificationsList } from './notifications-list.tsx';
import { unreadBadge } from './unread-badge.ts';

/** The bell with the number of unread notifications, and the popup that lists them. Opening it marks all as read. */
export function NotificationsBell() {
  const { t } = useTranslation('notification');
  const [isOpen, { toggle, close }] = useDisclosure(false, { onClose: forgetOlderPages });
  // Wherever the focus is: the button that had it may have gone.
  useWindowEvent('keydown', ({ key }) => {
    if (key === 'Escape') close();
  });
  const notifications = useNotifications();
  const pages = notifications.data?.pages;
  const unreadCount = pages?.[0]?.unreadCount ?? 0;
  const badge = unreadBadge(unreadCount);
  const { mutate: markAllRead, isPending } = useMarkAllRead();

  useEffect(() => {
    // What arrives while the reader looks at the list is read as well.
    if (isOpen && unreadCount > 0 && pages !== undefined && !isPending) markAllRead(pages);
    // A failure is not repeated at once, but when something has changed or the popup is opened again.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpen, unreadCount, pages]);

  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      onClose={close}
      position="bottom-end"
      width="min(400px, calc(100vw - 24px))"
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <ActionIcon
          className={classes['bell'] ?? ''}
          variant="subtle"
          color="gray"
          size={38}
          aria-label={badge === undefined ? t('title') : t('unread', { count: unreadCount, number: badge })}
          onClick={toggle}
        >
          <IconBell size={22} stroke={1.6} aria-hidden="true" />
          {badge !== undefined && (
            <span className={classes['badge']} aria-hidden="true">
              {badge}
            </span>
          )}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={classes['popup'] ?? ''} aria-label={t('title')}>
        <NotificationsList notifications={notifications} onLeave={close} />
      </Popover.Dropdown>
    </Popover>
  );
}

import { Popover } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { usePopupTrigger } from '../../ui/mantine-overlays.ts';
import { removeOlderPages, useMarkAllRead, type useNotifications } from './api.ts';
import { BellButton } from './notifications-bell.tsx';
import classes from './notifications.module.css';
import { NotificationsList } from './notifications-list.tsx';

/** Replaces the bell that was clicked, and opens. Opening marks all as read. */
export function NotificationsPopup({ notifications }: { notifications: ReturnType<typeof useNotifications> }) {
  const { t } = useTranslation('notification');
  const { isOpen, setOpen, trigger } = usePopupTrigger();
  const pages = notifications.data?.pages;
  const unreadCount = pages?.[0]?.unreadCount ?? 0;
  const { run: markAllRead } = useMarkAllRead();

  function close() {
    setOpen(false);
    if (isOpen) removeOlderPages();
  }

  // Wherever the focus is: a focused button may have been removed.
  useWindowEvent('keydown', ({ key }) => {
    if (key === 'Escape') close();
  });

  useEffect(() => {
    // Notifications that arrive while the popup is open are marked as read, too.
    if (isOpen && unreadCount > 0 && pages !== undefined) void markAllRead(pages);
    // A failure is retried after the next change or opening, not immediately.
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
        <BellButton ref={trigger} unreadCount={unreadCount} onClick={() => (isOpen ? close() : setOpen(true))} />
      </Popover.Target>
      <Popover.Dropdown className={classes['popup'] ?? ''} aria-label={t('title')}>
        <NotificationsList notifications={notifications} onLeave={close} />
      </Popover.Dropdown>
    </Popover>
  );
}

import { IconBell } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useNotifications } from './api.ts';
import classes from './notifications.module.css';

const popup = lazyPart(async () => (await import('./notifications-popup.tsx')).NotificationsPopup);

/** The bell with the number of unread notifications, and the popup with the list. */
export function NotificationsBell() {
  const notifications = useNotifications();
  const [Popup, open] = useLazyPart(popup);
  if (Popup !== undefined) return <Popup notifications={notifications} />;
  const unreadCount = notifications.data?.pages[0]?.unreadCount ?? 0;
  return <BellButton unreadCount={unreadCount} aria-haspopup="dialog" aria-expanded={false} onClick={open} />;
}

interface BellButtonProps extends Omit<ComponentProps<typeof IconButton>, 'aria-label' | 'className' | 'children'> {
  unreadCount: number;
}

/** With the number of unread notifications. */
export function BellButton({ unreadCount, ...props }: BellButtonProps) {
  const { t } = useTranslation('notification');
  const badge = unreadBadge(unreadCount);
  return (
    <IconButton
      {...props}
      className={classes['bell']}
      aria-label={badge === undefined ? t('title') : t('unread', { count: unreadCount, number: badge })}
    >
      <IconBell size={22} stroke={1.6} aria-hidden="true" />
      {badge !== undefined && (
        <span className={classes['badge']} aria-hidden="true">
          {badge}
        </span>
      )}
    </IconButton>
  );
}

const COUNT_MAX = 99;

/** Text of the badge at the bell; undefined for none. */
export function unreadBadge(count: number): string | undefined {
  if (count <= 0) return undefined;
  return count > COUNT_MAX ? `${COUNT_MAX}+` : String(count);
}

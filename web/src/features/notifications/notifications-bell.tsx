import { lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';
import { useNotifications } from './api.ts';
import { BellButton } from './bell-button.tsx';

const popup = lazyPart(async () => (await import('./notifications-popup.tsx')).NotificationsPopup);

/** The bell with the number of unread notifications, and the popup with the list. */
export function NotificationsBell() {
  const notifications = useNotifications();
  const [Popup, open] = useLazyPart(popup);
  if (Popup !== undefined) return <Popup notifications={notifications} />;
  const unreadCount = notifications.data?.pages[0]?.unreadCount ?? 0;
  return <BellButton unreadCount={unreadCount} aria-haspopup="dialog" aria-expanded={false} onClick={open} />;
}

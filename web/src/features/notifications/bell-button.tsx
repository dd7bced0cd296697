import { IconBell } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../ui/icon-button.tsx';
import classes from './notifications.module.css';
import { unreadBadge } from './unread-badge.ts';

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

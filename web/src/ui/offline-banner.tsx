import { IconCloudOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useOnline } from '../hooks/use-online.ts';
import classes from './offline-banner.module.css';

/** Does not block the page: its content stays, and lists refresh when the network is back. */
export function OfflineBanner() {
  const { t } = useTranslation();
  const isOnline = useOnline();
  return (
    <output className={classes['place']}>
      {!isOnline && (
        <span className={classes['banner']}>
          <IconCloudOff size={18} stroke={1.7} aria-hidden="true" />
          {t('offline')}
        </span>
      )}
    </output>
  );
}

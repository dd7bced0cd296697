import { IconCloudOff } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { askServer, useOnline } from '../data/network.ts';
import classes from './offline-banner.module.css';

/** Does not block the page: its content stays, and lists refresh when the network is back. */
export function OfflineBanner() {
  const { t } = useTranslation();
  const isOnline = useOnline();
  useEffect(askServerOnChanges, []);
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

/** A change that the browser notices is a reason to ask the server at once, not an answer. */
function askServerOnChanges(): () => void {
  const stopping = new AbortController();
  for (const change of ['online', 'offline'])
    addEventListener(change, () => void askServer(), { signal: stopping.signal });
  return () => stopping.abort();
}

import { useTranslation } from 'react-i18next';
import classes from './spinner.module.css';

/** Shown over the screen while the code of a requested dialog loads. */
export function OverlaySpinner() {
  const { t } = useTranslation();
  return (
    <output className={classes['overlay']} aria-label={t('loading')}>
      <span className={classes['ring']} />
    </output>
  );
}

/** Covers the screen while the app loads. */
export function FullScreenSpinner() {
  const { t } = useTranslation();
  return (
    <output className={classes['screen']} aria-label={t('loading')}>
      <span className={classes['ring']} />
    </output>
  );
}

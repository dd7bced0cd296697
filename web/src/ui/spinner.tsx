import { useTranslation } from 'react-i18next';
import classes from './spinner.module.css';

/** Over the screen while the code of a dialog loads, which a click has requested. */
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

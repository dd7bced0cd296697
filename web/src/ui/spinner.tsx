import { useTranslation } from 'react-i18next';
import classes from './spinner.module.css';

/** Covers the screen while the app loads. */
export function FullScreenSpinner() {
  const { t } = useTranslation();
  return (
    <output className={classes['screen']} aria-label={t('loading')}>
      <span className={classes['ring']} />
    </output>
  );
}

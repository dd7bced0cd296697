import { IconFlask } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './sandbox-notice.module.css';

/** Prominent, so that nobody sends real money to an address that exists on no chain. */
export function SandboxNotice() {
  const { t } = useTranslation('payment');
  return (
    <div className={classes['notice']} role="note">
      <IconFlask size={24} stroke={1.6} aria-hidden="true" />
      <div>
        <strong>{t('pay.sandboxTitle')}</strong>
        <p>{t('pay.sandbox')}</p>
      </div>
    </div>
  );
}

import { IconShieldLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useProfile } from '../../session/profile.ts';
import { plainButtonClass } from '../../ui/plain-button.tsx';
import classes from './second-factor-notice.module.css';

/** Shown on every page to staff whose permissions require two-factor sign-in. */
export function SecondFactorNotice() {
  const { t } = useTranslation();
  const secondFactor = useProfile()?.secondFactor;
  if (secondFactor !== 'DUE') return null;
  return (
    <div className={classes['notice']}>
      <IconShieldLock size={22} stroke={1.6} aria-hidden="true" />
      <p>{t('secondFactorDue')}</p>
      <Link to="/account" hash="second-factor" className={plainButtonClass({ isQuiet: true, isCompact: true })}>
        {t('secondFactorSetUp')}
      </Link>
    </div>
  );
}

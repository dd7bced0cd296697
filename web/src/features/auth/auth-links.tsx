import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

export function SignInLink() {
  const { t } = useTranslation('auth');
  return <Link to="/sign-in">{t('toSignIn')}</Link>;
}

export function SignUpLink() {
  const { t } = useTranslation('auth');
  return <Link to="/sign-up">{t('toSignUp')}</Link>;
}

export function RestoreLink() {
  const { t } = useTranslation('auth');
  return <Link to="/restore-access">{t('toRestore')}</Link>;
}

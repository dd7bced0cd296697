import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

/** `onClick`: for a link to the current page, which returns to its form. */
interface AuthLinkProps {
  onClick?: () => void;
}

export function SignInLink(props: AuthLinkProps) {
  const { t } = useTranslation('auth');
  return (
    <Link to="/sign-in" {...props}>
      {t('toSignIn')}
    </Link>
  );
}

export function SignUpLink() {
  const { t } = useTranslation('auth');
  return <Link to="/sign-up">{t('toSignUp')}</Link>;
}

export function RestoreLink() {
  const { t } = useTranslation('auth');
  return <Link to="/restore-access">{t('toRestore')}</Link>;
}

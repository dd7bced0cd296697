import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

export function SignInLink() {
  const { t } = useTranslation('auth');
  return (
    <Anchor component={Link} to="/sign-in" inherit>
      {t('toSignIn')}
    </Anchor>
  );
}

export function SignUpLink() {
  const { t } = useTranslation('auth');
  return (
    <Anchor component={Link} to="/sign-up" inherit>
      {t('toSignUp')}
    </Anchor>
  );
}

export function RestoreLink() {
  const { t } = useTranslation('auth');
  return (
    <Anchor component={Link} to="/restore-access" inherit>
      {t('toRestore')}
    </Anchor>
  );
}

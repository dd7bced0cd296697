import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

export function SignInLink() {
  const { t } = useTranslation('auth');
  return (
    <Anchor component={Link} to="/sign-in" inherit underline="always">
      {t('toSignIn')}
    </Anchor>
  );
}

export function SignUpLink() {
  const { t } = useTranslation('auth');
  return (
    <Anchor component={Link} to="/sign-up" inherit underline="always">
      {t('toSignUp')}
    </Anchor>
  );
}

export function RestoreLink() {
  const { t } = useTranslation('auth');
  return (
    <Anchor component={Link} to="/restore-access" inherit underline="always">
      {t('toRestore')}
    </Anchor>
  );
}

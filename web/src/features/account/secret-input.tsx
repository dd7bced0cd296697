import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** A password with a button that shows it. Takes what react-hook-form's `register` gives. */
export function SecretInput(props: PasswordInputProps) {
  const { t } = useTranslation('user');
  return <PasswordInput size="md" visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }} {...props} />;
}

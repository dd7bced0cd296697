import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export function EmailField(props: TextInputProps) {
  const { t } = useTranslation('auth');
  return (
    <TextInput
      label={t('fields.email')}
      type="email"
      inputMode="email"
      autoComplete="email"
      autoCapitalize="none"
      spellCheck={false}
      size="md"
      {...props}
    />
  );
}

export function PasswordField(props: PasswordInputProps) {
  const { t } = useTranslation('auth');
  return (
    <PasswordInput
      label={t('fields.password')}
      size="md"
      visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
      {...props}
    />
  );
}

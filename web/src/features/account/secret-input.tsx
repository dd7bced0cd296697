import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** A password input with a button that shows it. Accepts the properties of react-hook-form's `register`. */
export function SecretInput(props: PasswordInputProps) {
  const { t } = useTranslation('user');
  return (
    <PasswordInput
      size="md"
      visibilityToggleIcon={VisibilityIcon}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
      {...props}
    />
  );
}

function VisibilityIcon({ reveal }: { reveal: boolean }) {
  const Icon = reveal ? IconEyeOff : IconEye;
  return <Icon size={20} stroke={1.6} color="var(--text-muted)" aria-hidden="true" />;
}

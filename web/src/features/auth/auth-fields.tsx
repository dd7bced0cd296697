import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PlainField, type PlainFieldProps } from '../../ui/plain-field.tsx';

type FieldProps = Omit<PlainFieldProps, 'label' | 'type'> & { label?: string };

export function EmailField(props: FieldProps) {
  const { t } = useTranslation('auth');
  return (
    <PlainField
      label={t('fields.email')}
      type="email"
      inputMode="email"
      autoComplete="email"
      autoCapitalize="none"
      spellCheck={false}
      {...props}
    />
  );
}

export function PasswordField(props: FieldProps) {
  const { t } = useTranslation('auth');
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? IconEyeOff : IconEye;
  return (
    <PlainField
      label={t('fields.password')}
      {...props}
      type={isShown ? 'text' : 'password'}
      end={
        <button
          type="button"
          aria-label={t('showPassword')}
          aria-pressed={isShown}
          onClick={() => setShown((shown) => !shown)}
        >
          <Icon size={20} stroke={1.6} aria-hidden="true" />
        </button>
      }
    />
  );
}

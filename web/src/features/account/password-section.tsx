import { PASSWORD_LENGTH_MIN } from '@cellhop/contract/limits';
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { fieldErrorText, isPasswordRefused } from '../../data/form-errors.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { AccountSection } from './account-section.tsx';
import classes from './account-section.module.css';
import { changePasswordForm, useChangePassword } from './api.ts';
import { FormAlert, SecretInput } from './proof-form.tsx';

export function PasswordSection({ email }: { email: string }) {
  const { t } = useTranslation(['user', 'common']);
  const form = useSchemaForm(changePasswordForm, { currentPassword: '', password: '', confirmPassword: '' });
  const { errors } = form.formState;
  const change = useChangePassword(() =>
    form.setError('password', { message: 'passwordTooEasy' }, { shouldFocus: true }),
  );
  const isRefused = isPasswordRefused(change.error);

  const submit = form.handleSubmit(async ({ currentPassword, password }) => {
    if ((await change.run({ currentPassword, password })) !== undefined) form.reset();
  });

  return (
    <AccountSection anchor="password" title={t('password.title')} text={t('password.text')}>
      <form className={classes['padded']} noValidate onSubmit={(event) => void submit(event)}>
        {/* For password managers, which store the new password under this name. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        {!isRefused && <FormAlert error={change.error} />}
        <SecretInput
          label={t('password.current')}
          autoComplete="current-password"
          {...form.register('currentPassword')}
          error={fieldErrorText(errors.currentPassword)}
        />
        <SecretInput
          label={t('password.new')}
          description={t('password.newHint', { value: PASSWORD_LENGTH_MIN })}
          autoComplete="new-password"
          {...form.register('password', { deps: 'confirmPassword' })}
          error={fieldErrorText(errors.password)}
        />
        <SecretInput
          label={t('password.confirm')}
          autoComplete="new-password"
          {...form.register('confirmPassword')}
          error={fieldErrorText(errors.confirmPassword)}
        />
        <div className={classes['actions']}>
          <Button type="submit" loading={change.isRunning}>
            {t('password.submit')}
          </Button>
        </div>
      </form>
    </AccountSection>
  );
}

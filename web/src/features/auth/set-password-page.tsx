import { PASSWORD_LENGTH_MIN } from '@cellhop/contract/limits';
import { Link, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { PlainButton } from '../../ui/plain-button.tsx';
import plain from '../../ui/plain.module.css';
import { fieldErrorText } from '../../data/form-errors.ts';
import { savePassword } from './api.ts';
import classes from './auth-card.module.css';
import { AuthCard, RestoreLink, SignInLink, SignUpLink } from './auth-card.tsx';
import { PasswordField } from './auth-fields.tsx';
import { setPasswordScreen } from './screen.ts';
import { useAuthForm } from './auth-notice.tsx';
import { setPasswordForm } from './forms.ts';

/** From the link in the recovery mail. */
export function SetPasswordPage() {
  const [{ code }] = useScreenSearch(setPasswordScreen);
  // Of the first render: links inside the page have no fragment. Older mails have none at all.
  const [email] = useState(() => new URLSearchParams(location.hash.slice(1)).get('email') ?? '');
  if (code === undefined) return <Navigate to="/sign-in" replace />;
  return <SetPassword code={code} email={email} />;
}

function SetPassword({ code, email }: { code: string; email: string }) {
  const { t } = useTranslation(['auth', 'common']);
  const [isSaved, setSaved] = useState(false);
  const form = useSchemaForm(setPasswordForm, { password: '', confirmPassword: '' });
  const { errors } = form.formState;

  const { send, isSending, alert } = useAuthForm({
    call: async ({ password }: { password: string }) => {
      await savePassword({ code, password });
      setSaved(true);
    },
    onPasswordRefused: () => form.setError('password', { message: 'passwordTooEasy' }, { shouldFocus: true }),
  });
  const submit = form.handleSubmit((values) => send(values));

  if (isSaved)
    return (
      <AuthCard title={t('setPassword.doneTitle')} isAnnounced links={<SignUpLink />}>
        <p>{t('setPassword.done')}</p>
        <Link to="/sign-in" className={plain['button']}>
          {t('toSignIn')}
        </Link>
      </AuthCard>
    );
  return (
    <AuthCard
      title={t('setPassword.title')}
      lead={t('setPassword.lead')}
      error={alert}
      links={
        <>
          {/* The link was used or has expired. */}
          {alert !== undefined && <RestoreLink />}
          <SignInLink />
          <SignUpLink />
        </>
      }
    >
      <form className={classes['form']} noValidate onSubmit={(event) => void submit(event)}>
        {/* For password managers, which store the new password under this name. */}
        {email !== '' && <input type="email" autoComplete="username" value={email} readOnly hidden />}
        <PasswordField
          label={t('fields.newPassword')}
          hint={t('fields.newPasswordHint', { value: PASSWORD_LENGTH_MIN })}
          autoComplete="new-password"
          {...form.register('password', { deps: 'confirmPassword' })}
          error={fieldErrorText(errors.password)}
        />
        <PasswordField
          label={t('fields.confirmPassword')}
          autoComplete="new-password"
          {...form.register('confirmPassword')}
          error={fieldErrorText(errors.confirmPassword)}
        />
        <PlainButton type="submit" isLoading={isSending}>
          {t('setPassword.submit')}
        </PlainButton>
      </form>
    </AuthCard>
  );
}

import { zodResolver } from '@hookform/resolvers/zod';
import { useNavigate } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { PlainButton } from '../../ui/plain-button.tsx';
import { fieldErrorText, formErrorMap } from '../../lib/form-errors.ts';
import { openSession, requestConfirmation, signInForm } from './api.ts';
import classes from './auth-card.module.css';
import { AuthCard } from './auth-card.tsx';
import { EmailField, PasswordField } from './auth-fields.tsx';
import { RestoreLink, SignUpLink } from './auth-links.tsx';
import { AuthNotice } from './auth-notice.tsx';
import { useAuthForm } from './use-auth-form.ts';

export function SignInPage() {
  const { t } = useTranslation(['auth', 'common']);
  const navigate = useNavigate();
  const { alert, notice, send } = useAuthForm();
  const form = useForm({
    resolver: zodResolver(signInForm, { error: formErrorMap }),
    defaultValues: { email: '', password: '' },
  });
  const { errors, isSubmitting } = form.formState;

  const submit = form.handleSubmit((values) =>
    send(values.email, async () => {
      await openSession(values);
      await navigate({ to: '/proxies' });
    }),
  );

  if (notice !== undefined) return <AuthNotice notice={notice} resend={() => requestConfirmation(notice.email)} />;
  return (
    <AuthCard
      title={t('signIn.title')}
      lead={t('signIn.lead')}
      error={alert}
      links={
        <>
          <span>
            {t('signIn.noAccount')} <SignUpLink />
          </span>
          <span>
            {t('signIn.forgot')} <RestoreLink />
          </span>
        </>
      }
    >
      <form className={classes['form']} noValidate onSubmit={(event) => void submit(event)}>
        <EmailField {...form.register('email')} error={fieldErrorText(errors.email)} />
        <PasswordField
          autoComplete="current-password"
          {...form.register('password')}
          error={fieldErrorText(errors.password)}
        />
        <PlainButton type="submit" isLoading={isSubmitting}>
          {t('signIn.submit')}
        </PlainButton>
      </form>
    </AuthCard>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { PlainButton } from '../../ui/plain-button.tsx';
import { fieldErrorText } from '../../data/form-errors.ts';
import { repeatRecovery, requestConfirmation, requestRecovery } from './api.ts';
import classes from './auth-card.module.css';
import { AuthCard, SignInLink, SignUpLink } from './auth-card.tsx';
import { EmailField } from './auth-fields.tsx';
import { AuthNotice, useAuthForm } from './auth-notice.tsx';
import { restoreForm } from './forms.ts';

export function RestoreAccessPage() {
  const { t } = useTranslation(['auth', 'common']);
  const navigate = useNavigate();
  const [sessionId, setSessionId] = useState<string>();
  const form = useSchemaForm(restoreForm, { email: '' });
  const { errors } = form.formState;

  const { send, isSending, alert, notice, setNotice } = useAuthForm({
    call: async ({ email }: { email: string }) => {
      const recovery = await requestRecovery(email);
      setSessionId(recovery.sessionId);
      setNotice({ reason: 'RECOVERY_ACCESS', email, nextSendingAllowedIn: recovery.nextSendingAllowedIn });
    },
    emailFor: ({ email }) => email,
  });
  const submit = form.handleSubmit((values) => send(values));

  async function resend(email: string) {
    if (sessionId === undefined) return requestConfirmation(email);
    const recovery = await repeatRecovery(sessionId);
    setSessionId(recovery.sessionId);
    return recovery;
  }

  if (notice !== undefined)
    return (
      <AuthNotice
        notice={notice}
        onConfirmed={() => void navigate({ to: '/sign-in' })}
        resend={() => resend(notice.email)}
        links={
          <>
            <SignInLink />
            <SignUpLink />
          </>
        }
      />
    );
  return (
    <AuthCard
      title={t('restore.title')}
      lead={t('restore.lead')}
      error={alert}
      links={
        <>
          <span>
            {t('signUp.hasAccount')} <SignInLink />
          </span>
          <span>
            {t('signIn.noAccount')} <SignUpLink />
          </span>
        </>
      }
    >
      <form className={classes['form']} noValidate onSubmit={(event) => void submit(event)}>
        <EmailField {...form.register('email')} error={fieldErrorText(errors.email)} />
        <PlainButton type="submit" isLoading={isSending}>
          {t('restore.submit')}
        </PlainButton>
      </form>
    </AuthCard>
  );
}

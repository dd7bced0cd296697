import { PASSWORD_LENGTH_MIN } from '@cellhop/contract/limits';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { isLanguage } from '../../i18n/languages.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { PlainButton } from '../../ui/plain-button.tsx';
import { PlainField } from '../../ui/plain-field.tsx';
import { fieldErrorText } from '../../data/form-errors.ts';
import { createAccount, requestConfirmation } from './api.ts';
import { AcceptedTerms } from './accepted-terms.tsx';
import classes from './auth-card.module.css';
import { AuthCard, RestoreLink, SignInLink } from './auth-card.tsx';
import { EmailField, PasswordField } from './auth-fields.tsx';
import { AuthNotice, useAuthForm } from './auth-notice.tsx';
import { signUpScreen } from './screen.ts';
import { signUpForm } from './forms.ts';

type SignUpValues = z.infer<typeof signUpForm>;

function useSignUpForm(referralCode: string) {
  return useSchemaForm(signUpForm, { email: '', password: '', confirmPassword: '', referralCode });
}

export function SignUpPage() {
  // The code is from the referral link.
  const [{ rc: code = '' }] = useScreenSearch(signUpScreen);
  const { t, i18n } = useTranslation(['auth', 'common']);
  const navigate = useNavigate();
  const form = useSignUpForm(code);
  const { send, isSending, alert, notice, setNotice } = useAuthForm({
    call: async ({ email, password, referralCode }: SignUpValues) => {
      const languageCode = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : 'en';
      const { nextSendingAllowedIn } = await createAccount({ languageCode, email, password, referralCode });
      setNotice({ reason: 'AFTER_SIGN_UP', email, nextSendingAllowedIn });
    },
    emailFor: ({ email }) => email,
    onPasswordRefused: () => form.setError('password', { message: 'passwordTooEasy' }, { shouldFocus: true }),
  });

  if (notice !== undefined)
    return (
      <AuthNotice
        notice={notice}
        onConfirmed={() => void navigate({ to: '/sign-in' })}
        resend={() => requestConfirmation(notice.email)}
        links={
          <>
            <SignInLink />
            <RestoreLink />
          </>
        }
      />
    );
  return (
    <AuthCard
      title={t('signUp.title')}
      lead={t('signUp.lead')}
      error={alert}
      links={
        <>
          <span>
            {t('signUp.hasAccount')} <SignInLink />
          </span>
          <span>
            {t('signIn.forgot')} <RestoreLink />
          </span>
        </>
      }
    >
      <SignUpFields form={form} isSending={isSending} onSubmit={(values) => void send(values)} />
    </AuthCard>
  );
}

interface SignUpFieldsProps {
  form: ReturnType<typeof useSignUpForm>;
  isSending: boolean;
  onSubmit: (values: SignUpValues) => void;
}

function SignUpFields({ form, isSending, onSubmit }: SignUpFieldsProps) {
  const { t } = useTranslation(['auth', 'common']);
  const { errors } = form.formState;
  const submit = form.handleSubmit(onSubmit);
  return (
    <form className={classes['form']} noValidate onSubmit={(event) => void submit(event)}>
      <EmailField autoComplete="username" {...form.register('email')} error={fieldErrorText(errors.email)} />
      <PasswordField
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
      <PlainField
        label={t('fields.referralCode')}
        hint={t('fields.referralCodeHint')}
        autoComplete="off"
        spellCheck={false}
        {...form.register('referralCode')}
        error={fieldErrorText(errors.referralCode)}
      />
      <p className={classes['muted']}>{t('signUp.verification')}</p>
      <AcceptedTerms />
      <PlainButton type="submit" isLoading={isSending}>
        {t('signUp.submit')}
      </PlainButton>
    </form>
  );
}

import { useReducer } from 'react';
import { useTranslation } from 'react-i18next';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { PlainButton } from '../../ui/plain-button.tsx';
import { fieldErrorText } from '../../data/form-errors.ts';
import { openSession, requestConfirmation, signInForm } from './api.ts';
import classes from './auth-card.module.css';
import { AuthCard, RestoreLink, SignInLink, SignUpLink } from './auth-card.tsx';
import { EmailField, PasswordField } from './auth-fields.tsx';
import { AuthNotice, useAuthForm } from './auth-notice.tsx';
import { signInScreen } from './screen.ts';
import { SecondFactorStep } from './second-factor-step.tsx';
import { type Credentials, FIRST_STEP, nextSignInState } from './sign-in-state.ts';

interface CredentialsStepProps {
  /** Sign-in was required by another page and returns to it. */
  isInterrupted: boolean;
  form: SignInForm;
  isSending: boolean;
  alert: string | undefined;
  onSubmit: (credentials: Credentials) => void;
}

type SignInForm = ReturnType<typeof useSignInForm>;

function useSignInForm() {
  return useSchemaForm(signInForm, { email: '', password: '' });
}

/** Once there are tokens, the layout around this page redirects. */
export function SignInPage() {
  const [{ next }] = useScreenSearch(signInScreen);
  const [state, dispatch] = useReducer(nextSignInState, FIRST_STEP);
  const form = useSignInForm();
  const { send, isSending, alert, notice, setNotice } = useAuthForm({
    call: async (credentials: Credentials) => {
      if ((await openSession(credentials)) === 'CODE_REQUIRED') dispatch({ type: 'CODE_REQUIRED', credentials });
    },
    emailFor: ({ email }) => email,
  });

  /** Keeps the email, clears the password. */
  function goBack() {
    form.resetField('password');
    setNotice(undefined);
    dispatch({ type: 'CANCELLED' });
  }

  if (notice !== undefined)
    return (
      <AuthNotice
        notice={notice}
        onConfirmed={goBack}
        resend={() => requestConfirmation(notice.email)}
        links={
          <>
            <SignInLink onClick={goBack} />
            <RestoreLink />
          </>
        }
      />
    );
  if (state.step === 'SECOND_FACTOR')
    return (
      <SecondFactorStep
        key={state.method}
        credentials={state.credentials}
        method={state.method}
        onMethod={(method) => dispatch({ type: 'METHOD_CHOSEN', method })}
        onBack={goBack}
      />
    );
  return (
    <CredentialsStep
      form={form}
      isInterrupted={next !== undefined}
      isSending={isSending}
      alert={alert}
      onSubmit={(credentials) => void send(credentials)}
    />
  );
}

/** The first step: email and password. */
function CredentialsStep({ form, isInterrupted, isSending, alert, onSubmit }: CredentialsStepProps) {
  const { t } = useTranslation(['auth', 'common']);
  const { errors } = form.formState;
  const submit = form.handleSubmit(onSubmit);
  return (
    <AuthCard
      title={t('signIn.title')}
      lead={t(isInterrupted ? 'signIn.leadBack' : 'signIn.lead')}
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
        <EmailField autoComplete="username" {...form.register('email')} error={fieldErrorText(errors.email)} />
        <PasswordField
          autoComplete="current-password"
          {...form.register('password')}
          error={fieldErrorText(errors.password)}
        />
        <PlainButton type="submit" isLoading={isSending}>
          {t('signIn.submit')}
        </PlainButton>
      </form>
    </AuthCard>
  );
}

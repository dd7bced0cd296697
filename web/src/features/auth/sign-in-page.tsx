import { lazy, type RefObject, Suspense, useReducer, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../data/form-errors.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { PlainButton } from '../../ui/plain-button.tsx';
import { openSession, requestConfirmation } from './api.ts';
import classes from './auth-card.module.css';
import { AuthCard, RestoreLink, SignInLink, SignUpLink } from './auth-card.tsx';
import { EmailField, PasswordField } from './auth-fields.tsx';
import { AuthNotice, useAuthForm } from './auth-notice.tsx';
import { signInScreen } from './screen.ts';
import type { SignInErrors } from './sign-in-form.ts';
import { type Credentials, FIRST_STEP, nextSignInState } from './sign-in-state.ts';

// The library of forms is larger than the rest of the page, which has two fields.
const loadForm = () => import('./sign-in-form.ts');
const loadSecondFactor = () => import('./second-factor-step.tsx');
const SecondFactorStep = lazy(async () => ({ default: (await loadSecondFactor()).SecondFactorStep }));

/** Once there are tokens, the layout around this page redirects. */
export function SignInPage() {
  const [{ next }] = useScreenSearch(signInScreen);
  const [state, dispatch] = useReducer(nextSignInState, FIRST_STEP);
  const [email, setEmail] = useState('');
  const [errors, setErrors] = useState<SignInErrors>({});
  const form = useRef<HTMLFormElement>(null);
  const { send, isSending, alert, notice, setNotice } = useAuthForm({
    call: async (typed: Credentials) => {
      setEmail(typed.email);
      const { credentials, errors: found } = (await loadForm()).checkSignIn(typed);
      setErrors(found);
      if (credentials === undefined) return focusFirst(form.current, found);
      if ((await openSession(credentials)) !== 'CODE_REQUIRED') return;
      await loadSecondFactor();
      dispatch({ type: 'CODE_REQUIRED', credentials });
    },
    emailFor: (typed) => typed.email.trim(),
  });

  /** Keeps the email; the password is empty. */
  function goBack() {
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
      <Suspense>
        <SecondFactorStep
          key={state.method}
          credentials={state.credentials}
          method={state.method}
          onMethod={(method) => dispatch({ type: 'METHOD_CHOSEN', method })}
          onBack={goBack}
        />
      </Suspense>
    );
  return (
    <CredentialsStep
      form={form}
      email={email}
      errors={errors}
      isInterrupted={next !== undefined}
      isSending={isSending}
      alert={alert}
      onSubmit={(typed) => void send(typed)}
      onChange={async (typed) => {
        if (Object.keys(errors).length > 0) setErrors((await loadForm()).checkSignIn(typed).errors);
      }}
    />
  );
}

function focusFirst(form: HTMLFormElement | null, errors: SignInErrors): void {
  form?.querySelector<HTMLElement>(`[name="${errors.email === undefined ? 'password' : 'email'}"]`)?.focus();
}

/** What the fields show: password managers and autofill set values without an event that React notices. */
function readTyped(form: HTMLFormElement): Credentials {
  const text = (name: string) => form.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value ?? '';
  return { email: text('email'), password: text('password') };
}

interface CredentialsStepProps {
  form: RefObject<HTMLFormElement | null>;
  email: string;
  errors: SignInErrors;
  /** Sign-in was required by another page and returns to it. */
  isInterrupted: boolean;
  isSending: boolean;
  alert: string | undefined;
  onSubmit: (typed: Credentials) => void;
  onChange: (typed: Credentials) => Promise<void>;
}

/** The first step: email and password. */
function CredentialsStep(props: CredentialsStepProps) {
  const { form, email, errors, isInterrupted, isSending, alert, onSubmit, onChange } = props;
  const { t } = useTranslation(['auth', 'common']);
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
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <form
        ref={form}
        className={classes['form']}
        noValidate
        // So that sending does not wait for it. Without a network, sending says so.
        onFocus={() => void loadForm().catch(() => undefined)}
        onChange={(event) => void onChange(readTyped(event.currentTarget))}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(readTyped(event.currentTarget));
        }}
      >
        <EmailField name="email" autoComplete="username" defaultValue={email} error={fieldErrorText(errors.email)} />
        <PasswordField name="password" autoComplete="current-password" error={fieldErrorText(errors.password)} />
        <PlainButton type="submit" isLoading={isSending}>
          {t('signIn.submit')}
        </PlainButton>
      </form>
    </AuthCard>
  );
}

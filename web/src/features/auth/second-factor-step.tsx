import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../data/form-errors.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { PlainButton } from '../../ui/plain-button.tsx';
import { PlainField } from '../../ui/plain-field.tsx';
import { openSession } from './api.ts';
import classes from './auth-card.module.css';
import { AuthCard } from './auth-card.tsx';
import type { Credentials, SecondFactorMethod } from './sign-in-state.ts';
import { useAuthForm } from './auth-notice.tsx';
import { secondFactorForms } from './forms.ts';

interface SecondFactorStepProps {
  credentials: Credentials;
  method: SecondFactorMethod;
  onMethod: (method: SecondFactorMethod) => void;
  onBack: () => void;
}

const otherMethod = { APP: 'RECOVERY_CODE', RECOVERY_CODE: 'APP' } as const;
/** On phones: digits only, with autofill for the code. */
const appInput = { inputMode: 'numeric', autoComplete: 'one-time-code' } as const;
const recoveryInput = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

/** After the right email and password: the code of the app, or a recovery code. */
export function SecondFactorStep({ credentials, method, onMethod, onBack }: SecondFactorStepProps) {
  const { t } = useTranslation(['auth', 'common']);
  const form = useSchemaForm(secondFactorForms[method], { code: '' });
  const { errors } = form.formState;

  const { send, isSending, alert } = useAuthForm({
    call: async ({ code }: { code: string }) => {
      await openSession({ ...credentials, secondFactorCode: code });
    },
  });
  const submit = form.handleSubmit((values) => send(values));

  return (
    <AuthCard
      title={t('secondFactor.title')}
      lead={t(`secondFactor.lead.${method}`)}
      error={alert}
      links={
        <>
          <button type="button" className={classes['link']} onClick={() => onMethod(otherMethod[method])}>
            {t(`secondFactor.use.${otherMethod[method]}`)}
          </button>
          <button type="button" className={classes['link']} onClick={onBack}>
            {t('secondFactor.back')}
          </button>
        </>
      }
    >
      <form className={classes['form']} noValidate onSubmit={(event) => void submit(event)}>
        <PlainField
          label={t(`secondFactor.field.${method}`)}
          // The user has just submitted the previous step, and this is the only field.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          {...(method === 'APP' ? appInput : recoveryInput)}
          {...form.register('code')}
          error={fieldErrorText(errors.code)}
        />
        <PlainButton type="submit" isLoading={isSending}>
          {t('signIn.submit')}
        </PlainButton>
      </form>
    </AuthCard>
  );
}

import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../data/form-errors.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { useFocusOnMount, RecoveryCodes } from './recovery-codes.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { appCodeForm, passwordForm, useEnableSecondFactor, useSetUpSecondFactor } from './api.ts';
import { FormAlert, SecretInput } from './proof-form.tsx';
import classes from './set-up-steps.module.css';

const QR_PIXELS = 204;

interface SetUpStepsProps {
  /** The recovery codes are shown, for the only time. */
  onCodes: () => void;
  onDone: () => void;
}

/** Password, then the first code of the app, then the recovery codes. */
export function SetUpSteps({ onCodes, onDone }: SetUpStepsProps) {
  const setUp = useSetUpSecondFactor();
  const enabling = useEnableSecondFactor();
  if (enabling.result !== undefined) return <RecoveryCodes codes={enabling.result} onDone={onDone} />;
  if (setUp.result !== undefined) return <AppStep {...setUp.result} enabling={enabling} onCodes={onCodes} />;
  return <PasswordStep setUp={setUp} />;
}

function PasswordStep({ setUp }: { setUp: ReturnType<typeof useSetUpSecondFactor> }) {
  const { t } = useTranslation(['user', 'common']);
  const form = useSchemaForm(passwordForm, { password: '' });
  const { setFocus } = form;
  // The dialog opened before this form and has focused its own button.
  useEffect(() => setFocus('password'), [setFocus]);
  const submit = form.handleSubmit((values) => setUp.run(values));
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        <FormAlert error={setUp.error} />
        <Text>{t('setUp.password')}</Text>
        <SecretInput
          data-autofocus
          label={t('password.current')}
          autoComplete="current-password"
          {...form.register('password')}
          error={fieldErrorText(form.formState.errors.password)}
        />
        <Button type="submit" size="md" loading={setUp.isRunning}>
          {t('setUp.continue')}
        </Button>
      </Stack>
    </form>
  );
}

interface AppStepProps {
  /** Base32, for manual entry. */
  secret: string;
  /** The same as a URI for the QR code. */
  uri: string;
  enabling: ReturnType<typeof useEnableSecondFactor>;
  onCodes: () => void;
}

function AppStep({ secret, uri, enabling, onCodes }: AppStepProps) {
  const { t } = useTranslation(['user', 'common']);
  const text = useFocusOnMount<HTMLParagraphElement>();
  const form = useSchemaForm(appCodeForm, { code: '' });
  const submit = form.handleSubmit(async (values) => {
    if ((await enabling.run(values)) !== undefined) onCodes();
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        <FormAlert error={enabling.error} />
        <Text ref={text} tabIndex={-1}>
          {t('setUp.scan')}
        </Text>
        <div className={classes['app']}>
          <div className={classes['qr']}>
            <QrCode value={uri} pixels={QR_PIXELS} title={t('setUp.qr')} />
          </div>
          <div className={classes['secret']}>
            <p>{t('setUp.byHand')}</p>
            <Copyable name={t('setUp.secret')} value={secret} isWrapped />
            <Anchor href={uri} size="sm">
              {t('setUp.open')}
            </Anchor>
          </div>
        </div>
        <TextInput
          label={t('setUp.code')}
          size="md"
          inputMode="numeric"
          autoComplete="one-time-code"
          {...form.register('code')}
          error={fieldErrorText(form.formState.errors.code)}
        />
        <Button type="submit" size="md" loading={enabling.isRunning}>
          {t('setUp.enable')}
        </Button>
      </Stack>
    </form>
  );
}

import { zodResolver } from '@hookform/resolvers/zod';
import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { QRCodeSVG } from 'qrcode.react';
import { useEffect } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { fieldErrorText, formErrorMap } from '../../lib/forms/form-errors.ts';
import { useFocusOnMount } from '../../lib/use-focus-on-mount.ts';
import { useOneAtATime } from '../../lib/use-one-at-a-time.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { appCodeForm, passwordForm, useEnableSecondFactor, useSetUpSecondFactor } from './api.ts';
import { FormAlert } from './form-alert.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SecretInput } from './secret-input.tsx';
import classes from './set-up-steps.module.css';

const QR_PIXELS = 176;

interface SetUpStepsProps {
  /** The recovery codes are on the screen, for the only time. */
  onCodes: () => void;
  onDone: () => void;
}

/** Password, then the app's first code, then the recovery codes. */
export function SetUpSteps({ onCodes, onDone }: SetUpStepsProps) {
  const setUp = useSetUpSecondFactor();
  const enabling = useEnableSecondFactor();
  if (enabling.data !== undefined) return <RecoveryCodes codes={enabling.data} onDone={onDone} />;
  if (setUp.data !== undefined)
    return (
      <AppStep
        {...setUp.data}
        error={enabling.error}
        isSending={enabling.isPending}
        onCode={async (code) => {
          await enabling.mutateAsync(code);
          onCodes();
        }}
      />
    );
  return <PasswordStep error={setUp.error} isSending={setUp.isPending} onPassword={setUp.mutateAsync} />;
}

interface StepProps {
  error: unknown;
  isSending: boolean;
}

function PasswordStep({
  error,
  isSending,
  onPassword,
}: StepProps & { onPassword: (password: string) => Promise<unknown> }) {
  const { t } = useTranslation(['user', 'common']);
  const form = useForm({
    resolver: zodResolver(passwordForm, { error: formErrorMap }),
    defaultValues: { password: '' },
  });
  const { setFocus } = form;
  // The dialog was there before this form, and has given the focus to its own button.
  useEffect(() => setFocus('password'), [setFocus]);
  const send = useOneAtATime(({ password }: { password: string }) => onPassword(password).catch(() => undefined));
  const submit = form.handleSubmit(send);
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        <FormAlert error={error} />
        <Text>{t('setUp.password')}</Text>
        <SecretInput
          label={t('password.current')}
          autoComplete="current-password"
          {...form.register('password')}
          error={fieldErrorText(form.formState.errors.password)}
        />
        <Button type="submit" size="md" loading={isSending}>
          {t('setUp.continue')}
        </Button>
      </Stack>
    </form>
  );
}

interface AppStepProps extends StepProps {
  /** Base32, for typing. */
  secret: string;
  /** The same for a camera. */
  uri: string;
  onCode: (code: string) => Promise<void>;
}

function AppStep({ secret, uri, error, isSending, onCode }: AppStepProps) {
  const { t } = useTranslation(['user', 'common']);
  const text = useFocusOnMount<HTMLParagraphElement>();
  const form = useForm({
    resolver: zodResolver(appCodeForm, { error: formErrorMap }),
    defaultValues: { code: '' },
  });
  // A code works once: the second of two clicks would end in a refusal, and hide the recovery codes.
  const send = useOneAtATime(({ code }: { code: string }) => onCode(code).catch(() => undefined));
  const submit = form.handleSubmit(send);
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        <FormAlert error={error} />
        <Text ref={text} tabIndex={-1}>
          {t('setUp.scan')}
        </Text>
        <div className={classes['app']}>
          <div className={classes['qr']}>
            <QRCodeSVG value={uri} size={QR_PIXELS} title={t('setUp.qr')} />
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
        <Button type="submit" size="md" loading={isSending}>
          {t('setUp.enable')}
        </Button>
      </Stack>
    </form>
  );
}

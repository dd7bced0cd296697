import { Button, Stack, Text, TextInput, Alert, PasswordInput, type PasswordInputProps } from '@mantine/core';
import { IconAlertCircle, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { destructive } from '../../ui/destructive.ts';
import { errorText } from '../../data/error-text.ts';
import { fieldErrorText } from '../../data/form-errors.ts';
import type { Action } from '../../data/use-action.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { type Proof, proofForm } from './api.ts';

interface ProofFormProps {
  text: string;
  submitText: string;
  isDangerous?: boolean;
  /** A code works once: sent twice, it would be refused after it succeeded. */
  action: Pick<Action<Proof, unknown>, 'run' | 'isRunning' | 'error'>;
  onDone?: () => void;
}

/** Asks for password and code again, so that access to an unlocked computer is not enough. */
export function ProofForm({ text, submitText, isDangerous = false, action, onDone }: ProofFormProps) {
  const { t } = useTranslation(['user', 'common']);
  const form = useSchemaForm(proofForm, { password: '', code: '' });
  const { errors } = form.formState;
  const submit = form.handleSubmit(async (proof) => {
    if ((await action.run(proof)) !== undefined) onDone?.();
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        <FormAlert error={action.error} />
        <Text>{text}</Text>
        <SecretInput
          label={t('password.current')}
          autoComplete="current-password"
          data-autofocus
          {...form.register('password')}
          error={fieldErrorText(errors.password)}
        />
        <TextInput
          label={t('proof.code')}
          size="md"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          {...form.register('code')}
          error={fieldErrorText(errors.code)}
        />
        <Button type="submit" size="md" {...(isDangerous && destructive.confirms)} loading={action.isRunning}>
          {submitText}
        </Button>
      </Stack>
    </form>
  );
}

/** The server's error, above the fields. */
export function FormAlert({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertCircle stroke={1.7} aria-hidden="true" />}>
      {errorText(error)}
    </Alert>
  );
}

/** A password input with a button that shows it. Accepts the properties of react-hook-form's `register`. */
export function SecretInput(props: PasswordInputProps) {
  const { t } = useTranslation('user');
  return (
    <PasswordInput
      size="md"
      visibilityToggleIcon={VisibilityIcon}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
      {...props}
    />
  );
}

function VisibilityIcon({ reveal }: { reveal: boolean }) {
  const Icon = reveal ? IconEyeOff : IconEye;
  return <Icon size={20} stroke={1.6} color="var(--text-muted)" aria-hidden="true" />;
}

import { zodResolver } from '@hookform/resolvers/zod';
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { fieldErrorText, formErrorMap } from '../../lib/forms/form-errors.ts';
import { useOneAtATime } from '../../lib/use-one-at-a-time.ts';
import { type Proof, proofForm } from './api.ts';
import { FormAlert } from './form-alert.tsx';
import { SecretInput } from './secret-input.tsx';

interface ProofFormProps {
  text: string;
  submitText: string;
  isDangerous?: boolean;
  error: unknown;
  isSending: boolean;
  onProof: (proof: Proof) => Promise<unknown>;
}

/** Password and code once more, so that a computer left unlocked is not enough. */
export function ProofForm({ text, submitText, isDangerous = false, error, isSending, onProof }: ProofFormProps) {
  const { t } = useTranslation(['user', 'common']);
  const form = useForm({
    resolver: zodResolver(proofForm, { error: formErrorMap }),
    defaultValues: { password: '', code: '' },
  });
  const { errors } = form.formState;
  // A code works once: sent twice it would be refused, although the first time did it.
  const prove = useOneAtATime((proof: Proof) => onProof(proof).catch(() => undefined)); // The alert says why.
  const submit = form.handleSubmit(prove);
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        <FormAlert error={error} />
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
        <Button type="submit" size="md" {...(isDangerous ? { color: 'red' } : {})} loading={isSending}>
          {submitText}
        </Button>
      </Stack>
    </form>
  );
}

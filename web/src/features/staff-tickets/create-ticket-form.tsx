import { ApiError } from '@cellhop/contract/client';
import type { StaffTicket } from '@cellhop/contract/staff/tickets';
import { createTicketForUserBody } from '@cellhop/contract/staff/tickets.forms';
import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { fieldErrorText } from '../../data/form-errors.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { TicketFields } from '../tickets/ticket-parts.tsx';
import { useCreateTicketForUser } from './api.ts';

interface CreateTicketFormProps {
  /** The customer; undefined: the form asks for their email. */
  userId: string | undefined;
  onCreated: (ticket: StaffTicket) => void;
}

export function CreateTicketForm({ userId, onCreated }: CreateTicketFormProps) {
  const { t } = useTranslation('staffSupport');
  const creation = useCreateTicketForUser();
  const form = useSchemaForm(createTicketForUserBody, {
    ...(userId === undefined ? { email: '' } : { userId }),
    name: '',
    description: '',
  });
  const { errors } = form.formState;
  const submit = form.handleSubmit(async (body) => {
    const ticket = await creation.run(body);
    if (ticket !== undefined) onCreated(ticket);
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        {creation.error !== null && (
          <Alert role="alert" color="red" variant="light">
            {isUnknownUser(creation.error) ? t('create.unknownUser') : errorText(creation.error)}
          </Alert>
        )}
        {userId === undefined ? (
          <TextInput
            {...form.register('email')}
            label={t('create.email')}
            type="email"
            autoComplete="off"
            size="md"
            data-autofocus
            error={fieldErrorText(errors.email)}
          />
        ) : (
          <Text>{t('create.forChosen')}</Text>
        )}
        <TicketFields name={form.register('name')} description={form.register('description')} errors={errors} />
        <Button type="submit" size="md" loading={creation.isRunning}>
          {t('create.submit')}
        </Button>
      </Stack>
    </form>
  );
}

function isUnknownUser(error: Error): boolean {
  return error instanceof ApiError && error.code === 'NOT_FOUND';
}

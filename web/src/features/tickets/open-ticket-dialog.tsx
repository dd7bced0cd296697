import type { Ticket } from '@cellhop/contract/tickets';
import { createTicketBody, type CreateTicketBody } from '@cellhop/contract/tickets.forms';
import { zodResolver } from '@hookform/resolvers/zod';
import { Alert, Button, Stack } from '@mantine/core';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { errorText, limitMinutesOf } from '../../data/error-text.ts';
import { formErrorMap } from '../../data/form-errors.ts';
import { useDraft, useKeptDraft } from '../../hooks/use-draft.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useCreateTicket } from './api.ts';
import { TicketFields } from './ticket-fields.tsx';

interface OpenTicketDialogProps {
  isOpen: boolean;
  onClose: () => void;
  onCreated: (ticket: Ticket) => void;
}

export function OpenTicketDialog({ isOpen, onClose, onCreated }: OpenTicketDialogProps) {
  const { t } = useTranslation('support');
  return (
    <Dialog isOpen={isOpen} title={t('create.title')} onClose={onClose}>
      <OpenTicketForm onCreated={onCreated} />
    </Dialog>
  );
}

function OpenTicketForm({ onCreated }: Pick<OpenTicketDialogProps, 'onCreated'>) {
  const { t } = useTranslation('support');
  const creation = useCreateTicket();
  const draft = useDraft('ticket', isTicketDraft);
  const form = useForm<CreateTicketBody>({
    resolver: zodResolver(createTicketBody, { error: formErrorMap }),
    defaultValues: { name: '', description: '', ...draft.read() },
  });
  useKeptDraft(form, draft);
  const { errors } = form.formState;
  const limitMinutes = limitMinutesOf(creation.error);
  const submit = form.handleSubmit(async (body) => {
    const ticket = await creation.run(body);
    if (ticket === undefined) return;
    draft.write(undefined);
    onCreated(ticket);
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        {creation.error !== null && (
          <Alert role="alert" color="red" variant="light">
            {limitMinutes === undefined ? errorText(creation.error) : t('create.limited', { count: limitMinutes })}
          </Alert>
        )}
        <TicketFields
          name={form.register('name')}
          description={form.register('description')}
          errors={errors}
          hasFocus
        />
        <Button type="submit" size="md" loading={creation.isRunning}>
          {t('create.submit')}
        </Button>
      </Stack>
    </form>
  );
}

function isTicketDraft(value: unknown): value is Partial<CreateTicketBody> {
  if (typeof value !== 'object' || value === null) return false;
  const { name, description } = value as Record<string, unknown>;
  return [name, description].every((text) => text === undefined || typeof text === 'string');
}

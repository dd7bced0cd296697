import { ticketMessageBody, type TicketMessageBody } from '@cellhop/contract/tickets.forms';
import { zodResolver } from '@hookform/resolvers/zod';
import { Button, Textarea } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { fieldErrorText, formErrorMap } from '../../data/form-errors.ts';
import { useDraft, useKeptDraft } from '../../hooks/use-draft.ts';
import { useSendMessage } from './api.ts';
import classes from './ticket-page.module.css';

interface MessageFormProps {
  ticketId: string;
  onSent: () => void;
}

/** Each ticket has its own draft; a message that failed to send stays in the form. */
export function MessageForm({ ticketId, onSent }: MessageFormProps) {
  const { t } = useTranslation('support');
  const sending = useSendMessage(ticketId);
  const draft = useDraft(`message:${ticketId}`, isMessageDraft);
  const form = useForm<TicketMessageBody>({
    resolver: zodResolver(ticketMessageBody, { error: formErrorMap }),
    defaultValues: { content: '', ...draft.read() },
  });
  useKeptDraft(form, draft);
  const submit = form.handleSubmit(async (body) => {
    const message = await sending.run(body);
    if (message === undefined) return;
    form.reset({ content: '' });
    draft.write(undefined);
    onSent();
  });
  return (
    <form className={classes['form']} noValidate onSubmit={(event) => void submit(event)}>
      <Textarea
        {...form.register('content')}
        label={t('messages.write')}
        description={t('messages.shortcut')}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
        }}
        size="md"
        minRows={3}
        rows={3}
        error={fieldErrorText(form.formState.errors.content)}
      />
      <Button type="submit" leftSection={<IconSend size={17} aria-hidden="true" />} loading={sending.isRunning}>
        {t('messages.send')}
      </Button>
    </form>
  );
}

function isMessageDraft(value: unknown): value is Partial<TicketMessageBody> {
  if (typeof value !== 'object' || value === null) return false;
  const { content } = value as Record<string, unknown>;
  return content === undefined || typeof content === 'string';
}

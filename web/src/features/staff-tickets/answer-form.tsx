import type { LanguageCode } from '@cellhop/contract/schemas';
import type { StaffTicket } from '@cellhop/contract/staff/tickets';
import { ticketMessageBody, type TicketMessageBody } from '@cellhop/contract/tickets.forms';
import { Alert, Button, Group, Textarea, Select } from '@mantine/core';
import { IconChecks, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../data/form-errors.ts';
import { useDraft, useKeptDraft, textDraft } from '../../hooks/use-draft.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { useProfile } from '../../session/profile.ts';
import { usePermission } from '../staff-parts/use-permission.ts';
import { answersSince } from './answers-since.ts';
import { FilesField } from '../tickets/files-field.tsx';
import { useSendShortcut } from '../tickets/use-send-shortcut.ts';
import { isConflict, useAnswer, useAnswerFiles, useAnyMessages, useCloseAnyTicket } from './api.ts';
import { useCannedReplies } from './canned-replies-api.ts';
import classes from './ticket-page.module.css';

interface AnswerFormProps {
  ticket: StaffTicket;
  onSent: () => void;
  /** Called when the ticket was closed after the answer. */
  onClosed: () => void;
}

/** The newest message when the author began to write: undefined while the form is empty. */
type Seen = string | null | undefined;

const isAnswerDraft = textDraft<TicketMessageBody>('content');

/**
 * Each ticket has its own draft. If other staff answer while the author writes, the form warns and names them; the next click sends
 * anyway.
 */
export function AnswerForm({ ticket, onSent, onClosed }: AnswerFormProps) {
  const { t } = useTranslation('staffSupport');
  const { id, user } = ticket;
  const answering = useAnswer(id);
  const closing = useCloseAnyTicket(id);
  const files = useAnswerFiles(id);
  const { rows } = useAnyMessages(id, 1);
  const me = useProfile();
  const [seen, setSeen] = useState<Seen>();
  const draft = useDraft(`answer:${id}`, isAnswerDraft);
  const form = useSchemaForm(ticketMessageBody, { content: '', ...draft.read() });
  useKeptDraft(form, draft);
  const newest = rows === undefined ? undefined : (rows[0]?.id ?? null);
  const others = seen === undefined ? [] : answersSince(rows ?? [], seen, me?.id);
  const isWarned = others.length > 0 || isConflict(answering.error);

  /** The two requests have their own permissions. If only the first succeeds, the ticket stays open below the answer. */
  const send = async ({ content }: TicketMessageBody, closes: boolean) => {
    // A warned author has seen the newest message.
    const lastSeenMessageId = isWarned ? newest : (seen ?? newest);
    const body = { content, ...files.body, ...(lastSeenMessageId !== undefined && { lastSeenMessageId }) };
    const message = await answering.run(body);
    if (message === undefined) return;
    files.clear();
    form.reset({ content: '' });
    draft.write(undefined);
    setSeen(undefined);
    onSent();
    if (closes && (await closing.run()) !== undefined) onClosed();
  };
  const submit = form.handleSubmit((body) => send(body, false));
  const isReady = rows !== undefined && files.isReady;
  const shortcut = useSendShortcut(isReady && !closing.isRunning ? () => void submit() : undefined);
  const submitAndClose = form.handleSubmit((body) => send(body, true));

  function insert(text: string): void {
    const content = form.getValues('content').trimEnd();
    form.setValue('content', content === '' ? text : `${content}\n\n${text}`, { shouldDirty: true });
    setSeen((current) => current ?? newest);
    form.setFocus('content');
  }

  return (
    <form className={classes['answer']} noValidate onSubmit={(event) => void submit(event)} {...files.handlers}>
      {isWarned && <OtherAnswers messages={others} />}
      <Textarea
        {...form.register('content', { onChange: () => setSeen((current) => current ?? newest) })}
        label={t('answer.label')}
        {...shortcut}
        size="md"
        minRows={4}
        rows={4}
        error={fieldErrorText(form.formState.errors.content)}
      />
      <FilesField files={files} />
      <div className={classes['actions']}>
        <CannedReplySelect languageCode={user.languageCode} onChoose={insert} />
        <SendButtons
          isReady={isReady}
          isWarned={isWarned}
          isAnswering={answering.isRunning}
          isClosing={closing.isRunning}
          onClose={() => void submitAndClose()}
        />
      </div>
    </form>
  );
}

interface SendButtonsProps {
  /** The messages are loaded, and the files are uploaded. */
  isReady: boolean;
  /** Others have answered meanwhile. */
  isWarned: boolean;
  isAnswering: boolean;
  isClosing: boolean;
  onClose: () => void;
}

function SendButtons({ isReady, isWarned, isAnswering, isClosing, onClose }: SendButtonsProps) {
  const { t } = useTranslation(['staffSupport', 'support']);
  const canClose = usePermission('TICKETS_EDIT');
  return (
    <Group gap="xs">
      {canClose && !isWarned && (
        <Button
          variant="default"
          leftSection={<IconChecks size={17} stroke={1.6} aria-hidden="true" />}
          loading={isClosing}
          disabled={!isReady || isAnswering}
          onClick={onClose}
        >
          {t('answer.sendAndClose')}
        </Button>
      )}
      <Button
        type="submit"
        leftSection={<IconSend size={17} aria-hidden="true" />}
        loading={isAnswering}
        disabled={!isReady || isClosing}
      >
        {isWarned ? t('answer.sendAnyway') : t('support:messages.send')}
      </Button>
    </Group>
  );
}

/** @param messages of others since the author began to write; empty if only the server knows them */
function OtherAnswers({ messages }: { messages: ReturnType<typeof answersSince> }) {
  const { t } = useTranslation('staffSupport');
  return (
    <Alert role="alert" color="yellow" variant="light">
      {t('answer.conflict', { who: authorEmails(messages) ?? t('answer.someone') })}
    </Alert>
  );
}

function authorEmails(messages: ReturnType<typeof answersSince>): string | undefined {
  const emails = new Set(messages.map(({ author }) => author.email));
  return emails.size === 0 ? undefined : [...emails].join(', ');
}

interface CannedReplySelectProps {
  /** The language of the customer. */
  languageCode: LanguageCode;
  onChoose: (text: string) => void;
}

/** A select that inserts a prepared text and keeps no selection. */
function CannedReplySelect({ languageCode, onChoose }: CannedReplySelectProps) {
  const { t } = useTranslation('staffSupport');
  const { rows: replies = [] } = useCannedReplies();
  if (replies.length === 0) return <span />;

  function choose(id: string | null): void {
    const reply = replies.find((each) => each.id === id);
    if (reply !== undefined) onChoose(languageCode === 'ru' ? reply.contentRu : reply.contentEn);
  }

  return (
    <Select
      className={classes['canned'] ?? ''}
      aria-label={t('replies.insert')}
      placeholder={t('replies.insert')}
      data={replies.map(({ id, title }) => ({ value: id, label: title }))}
      value={null}
      searchable
      nothingFoundMessage={t('replies.unknown')}
      onChange={choose}
    />
  );
}

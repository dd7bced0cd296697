import type { Ticket } from '@cellhop/contract/tickets';
import { ticketMessageBody, type TicketMessageBody } from '@cellhop/contract/tickets.forms';
import { Button, Textarea } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../data/form-errors.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useDraft, useKeptDraft, textDraft } from '../../hooks/use-draft.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { useScreenParams, useScreenSearch } from '../../loading/use-screen.ts';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { PageFailure } from '../../ui/page-failure.tsx';
import { useCloseTicket, useMessages, useTicket, useSendMessage, useTicketFiles } from './api.ts';
import { FilesField } from './files-field.tsx';
import { ticketScreen } from './screen.ts';
import classes from './ticket-page.module.css';
import { MessageList, QuestionPlaceholder, TicketQuestion } from './ticket-parts.tsx';
import { useSendShortcut } from './use-send-shortcut.ts';

export function TicketPage() {
  const { ticketId: id } = useScreenParams(ticketScreen);
  const [{ page = 1 }, change] = useScreenSearch(ticketScreen);
  const { t } = useTranslation(['support', 'common']);
  const ticket = useTicket(id);
  // Loaded in parallel and shown together, so that nothing moves when the ticket's height is known.
  const messages = useMessages(id, page);
  const found = ticket.response?.data;
  const name = found?.name ?? t('ticket.title');
  useDocumentTitle(name);
  return (
    <>
      <Breadcrumbs items={[{ label: t('common:titles.support'), to: '/support/tickets' }, { label: name }]} />
      {ticket.failure !== undefined ? (
        <PageFailure
          failure={ticket.failure}
          text={t('ticket.failed')}
          missingText={t('ticket.missing')}
          list={<Link to="/support/tickets">{t('ticket.all')}</Link>}
        />
      ) : found === undefined ? (
        <QuestionPlaceholder />
      ) : (
        <div className={classes['page']}>
          <Question ticket={found} />
          {found.status === 'OPEN' ? (
            <MessageForm ticketId={id} onSent={() => change({ page: 1 })} />
          ) : (
            <p className={classes['closed']}>
              {t('ticket.isClosed')}{' '}
              <Link to="/support/tickets" search={{ create: true }}>
                {t('ticket.openAnother')}
              </Link>
            </p>
          )}
          <MessageList
            messages={messages}
            page={page}
            onPage={(chosen) => change({ page: chosen })}
            ticketPath={`/v1/support/tickets/${id}`}
            isRight={({ isUser }) => isUser}
            authorName={({ isUser }) => t(isUser ? 'messages.you' : 'messages.team')}
          />
        </div>
      )}
    </>
  );
}

function Question({ ticket }: { ticket: Ticket }) {
  const closing = useCloseTicket(ticket.id);
  return <TicketQuestion ticket={ticket} closing={ticket.status === 'OPEN' ? closing : undefined} />;
}

interface MessageFormProps {
  ticketId: string;
  onSent: () => void;
}

const isMessageDraft = textDraft<TicketMessageBody>('content');

/** Each ticket has its own draft; a message that failed to send stays in the form. */
function MessageForm({ ticketId, onSent }: MessageFormProps) {
  const { t } = useTranslation('support');
  const sending = useSendMessage(ticketId);
  const files = useTicketFiles(ticketId);
  const draft = useDraft(`message:${ticketId}`, isMessageDraft);
  const form = useSchemaForm(ticketMessageBody, { content: '', ...draft.read() });
  useKeptDraft(form, draft);
  const submit = form.handleSubmit(async (body) => {
    const message = await sending.run({ ...body, ...files.body });
    if (message === undefined) return;
    form.reset({ content: '' });
    files.clear();
    draft.write(undefined);
    onSent();
  });
  const shortcut = useSendShortcut(files.isReady ? () => void submit() : undefined);
  return (
    <form className={classes['form']} noValidate onSubmit={(event) => void submit(event)} {...files.handlers}>
      <Textarea
        {...form.register('content')}
        label={t('messages.write')}
        {...shortcut}
        size="md"
        minRows={3}
        rows={3}
        error={fieldErrorText(form.formState.errors.content)}
      />
      <FilesField files={files} />
      <Button
        type="submit"
        leftSection={<IconSend size={17} aria-hidden="true" />}
        loading={sending.isRunning}
        disabled={!files.isReady}
      >
        {t('messages.send')}
      </Button>
    </form>
  );
}

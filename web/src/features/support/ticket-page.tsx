import type { Ticket, TicketMessage } from '@cellhop/contract/support';
import { Button, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../lib/format.ts';
import type { Failure } from '../../lib/use-api-query.ts';
import { useDocumentTitle } from '../../lib/use-document-title.ts';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { useCloseTicket, useMessages, useTicket } from './api.ts';
import { MessageForm } from './message-form.tsx';
import { TicketStatusBadge } from './ticket-status-badge.tsx';
import classes from './ticket-page.module.css';

const MESSAGE_PLACEHOLDERS = ['right', 'left', 'right'] as const;

interface TicketPageProps {
  id: string;
  page: number;
  onPage: (page: number) => void;
}

export function TicketPage({ id, page, onPage }: TicketPageProps) {
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
        <TicketFailure {...ticket.failure} />
      ) : found === undefined ? (
        <QuestionPlaceholder />
      ) : (
        <div className={classes['page']}>
          <Question ticket={found} />
          {found.status === 'OPEN' ? (
            <MessageForm ticketId={id} onSent={() => onPage(1)} />
          ) : (
            <p className={classes['closed']}>
              {t('ticket.isClosed')}{' '}
              <Link to="/support/tickets" search={{ create: true }}>
                {t('ticket.openAnother')}
              </Link>
            </p>
          )}
          <Messages messages={messages} page={page} onPage={onPage} />
        </div>
      )}
    </>
  );
}

/** A retry helps after a failure, but not with a wrong URL. */
function TicketFailure(failure: Failure) {
  const { t } = useTranslation('support');
  const isMissing = failure.error.code === 'NOT_FOUND' || failure.error.code === 'VALIDATION';
  if (!isMissing) return <LoadFailure text={t('ticket.failed')} {...failure} />;
  return (
    <LoadFailure text={t('ticket.failed')}>
      <span>{t('ticket.missing')}</span>
      <Link to="/support/tickets">{t('ticket.all')}</Link>
    </LoadFailure>
  );
}

function QuestionPlaceholder() {
  return (
    <div className={classes['question']} aria-busy="true">
      <div className={classes['head']}>
        <Skeleton height={16} width={180} />
      </div>
      <Skeleton height={22} width="min(420px, 80%)" className={classes['wide'] ?? ''} />
      <Skeleton height={16} width="92%" className={classes['wide'] ?? ''} />
      <Skeleton height={16} width="60%" className={classes['wide'] ?? ''} />
    </div>
  );
}

function Question({ ticket }: { ticket: Ticket }) {
  const { t } = useTranslation('support');
  const [isConfirming, setConfirming] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const isOpen = ticket.status === 'OPEN';

  function finish() {
    setConfirming(false);
    // The dialog would return the focus to a removed button.
    heading.current?.focus({ preventScroll: true });
  }

  return (
    <article className={classes['question']}>
      <div className={classes['head']}>
        <time dateTime={ticket.createdAt}>{formatDate(ticket.createdAt)}</time>
        <TicketStatusBadge status={ticket.status} />
      </div>
      <h2 ref={heading} tabIndex={-1}>
        {ticket.name}
      </h2>
      <p>{ticket.description}</p>
      {isOpen && (
        <Button className={classes['close'] ?? ''} variant="default" size="xs" onClick={() => setConfirming(true)}>
          {t('ticket.close')}
        </Button>
      )}
      <CloseTicketDialog
        id={ticket.id}
        isOpen={isConfirming && isOpen}
        onCancel={() => setConfirming(false)}
        onClosed={finish}
      />
    </article>
  );
}

interface CloseTicketDialogProps {
  id: string;
  isOpen: boolean;
  onCancel: () => void;
  onClosed: () => void;
}

function CloseTicketDialog({ id, isOpen, onCancel, onClosed }: CloseTicketDialogProps) {
  const { t } = useTranslation('support');
  const closing = useCloseTicket(id);

  async function close() {
    if ((await closing.run()) !== undefined) onClosed();
  }

  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t('ticket.closing.title')}
      text={t('ticket.closing.text')}
      action={t('ticket.close')}
      isWorking={closing.isRunning}
      onConfirm={close}
      onClose={onCancel}
    />
  );
}

interface MessagesProps extends Pick<TicketPageProps, 'page' | 'onPage'> {
  messages: ReturnType<typeof useMessages>;
}

function Messages({ messages, page, onPage }: MessagesProps) {
  const { t } = useTranslation('support');
  return (
    <PagedList
      list={messages}
      page={page}
      onPage={onPage}
      failureText={t('messages.failed')}
      empty={<EmptyList text={t('messages.empty')} />}
    >
      {(items) => (
        <section aria-label={t('messages.label')} aria-busy={items === undefined}>
          <ol className={classes['messages']} aria-live="polite">
            {items === undefined
              ? MESSAGE_PLACEHOLDERS.map((side, index) => (
                  // Placeholders have no other identity than their index.
                  // oxlint-disable-next-line react/no-array-index-key
                  <li key={index} className={classes['message']} data-side={side} aria-hidden="true">
                    <Skeleton height={13} width={150} mb={8} />
                    <Skeleton height={16} width="min(320px, 60vw)" />
                  </li>
                ))
              : items.map((message) => <Message key={message.id} message={message} />)}
          </ol>
        </section>
      )}
    </PagedList>
  );
}

function Message({ message: { content, isUser, createdAt } }: { message: TicketMessage }) {
  const { t } = useTranslation('support');
  return (
    <li className={classes['message']} data-side={isUser ? 'right' : 'left'}>
      <div className={classes['byline']}>
        <strong>{t(isUser ? 'messages.you' : 'messages.team')}</strong>
        <time dateTime={createdAt}>{formatDate(createdAt)}</time>
      </div>
      <p>{content}</p>
    </li>
  );
}

import type { Ticket, TicketMessage, TicketStatus } from '@cellhop/contract/tickets';
import { Skeleton, Textarea, TextInput, Button } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import type { FieldError, UseFormRegisterReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../data/form-errors.ts';
import type { Action } from '../../data/use-action.ts';
import type { List } from '../../data/use-list.ts';
import { formatDate } from '../../format/format.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { LinkedText } from '../../ui/linked-text.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { MessageFiles } from './message-files.tsx';
import classes from './ticket-page.module.css';

const PLACEHOLDERS = ['right', 'left', 'right'] as const;

interface MessageListProps<Message extends TicketMessage> {
  messages: List<Message>;
  page: number;
  onPage: (page: number) => void;
  /** In the API, of the reader's side. */
  ticketPath: string;
  /** The side of the reader; messages of the other side are on the left. */
  isRight: (message: Message) => boolean;
  authorName: (message: Message) => string;
}

/** A page of a ticket's messages, newest first. */
export function MessageList<Message extends TicketMessage>(props: MessageListProps<Message>) {
  const { messages, page, onPage, ticketPath, isRight, authorName } = props;
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
              ? PLACEHOLDERS.map((side, index) => (
                  // Placeholders can only be identified by their index.
                  // oxlint-disable-next-line react/no-array-index-key
                  <li key={index} className={classes['message']} data-side={side} aria-hidden="true">
                    <Skeleton height={13} width={150} mb={8} />
                    <Skeleton height={16} width="min(320px, 60vw)" />
                  </li>
                ))
              : items.map((message) => (
                  <li key={message.id} className={classes['message']} data-side={isRight(message) ? 'right' : 'left'}>
                    <div className={classes['byline']}>
                      <strong>{authorName(message)}</strong>
                      <time dateTime={message.createdAt}>{formatDate(message.createdAt)}</time>
                    </div>
                    <p>
                      <LinkedText text={message.content} />
                    </p>
                    <MessageFiles message={message} ticketPath={ticketPath} />
                  </li>
                ))}
          </ol>
        </section>
      )}
    </PagedList>
  );
}

interface TicketQuestionProps {
  ticket: Pick<Ticket, 'name' | 'description' | 'status' | 'createdAt'>;
  /** Undefined if the reader may not close it. */
  closing: Pick<Action<void, unknown>, 'run' | 'isRunning'> | undefined;
  author?: ReactNode;
  children?: ReactNode;
}

/** The first text of a ticket, and the button that closes it. */
export function TicketQuestion({ ticket, closing, author, children }: TicketQuestionProps) {
  const { t } = useTranslation('support');
  const [isConfirming, setConfirming] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);

  async function close(): Promise<void> {
    if ((await closing?.run()) === undefined) return;
    setConfirming(false);
    // The dialog would return the focus to a removed button.
    heading.current?.focus({ preventScroll: true });
  }

  return (
    <article className={classes['question']}>
      <div className={classes['head']}>
        <time dateTime={ticket.createdAt}>{formatDate(ticket.createdAt)}</time>
        <TicketStatusBadge status={ticket.status} />
        {author}
      </div>
      <h2 ref={heading} tabIndex={-1}>
        {ticket.name}
      </h2>
      <p>{ticket.description}</p>
      {children}
      {closing !== undefined && (
        <Button className={classes['close'] ?? ''} variant="default" size="xs" onClick={() => setConfirming(true)}>
          {t('ticket.close')}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isConfirming && closing !== undefined}
        title={t('ticket.closing.title')}
        text={t('ticket.closing.text')}
        action={t('ticket.close')}
        isWorking={closing?.isRunning === true}
        onConfirm={close}
        onClose={() => setConfirming(false)}
      />
    </article>
  );
}

/** The placeholder of a ticket's first text, until it is loaded. */
export function QuestionPlaceholder() {
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

export function TicketStatusBadge({ status }: { status: TicketStatus }) {
  const { t } = useTranslation('support');
  return <StatusBadge tone={status === 'OPEN' ? 'good' : 'neutral'} text={t(`statuses.${status}`)} />;
}

interface TicketFieldsProps {
  name: UseFormRegisterReturn;
  description: UseFormRegisterReturn;
  errors: { name?: FieldError | undefined; description?: FieldError | undefined };
  /** The dialog opens with the focus in the first field. */
  hasFocus?: boolean;
}

/** The name and description of a ticket, in the forms of customers and of staff. */
export function TicketFields({ name, description, errors, hasFocus = false }: TicketFieldsProps) {
  const { t } = useTranslation('support');
  return (
    <>
      <TextInput
        {...name}
        label={t('create.name')}
        size="md"
        data-autofocus={hasFocus || undefined}
        error={fieldErrorText(errors.name)}
      />
      <Textarea
        {...description}
        label={t('create.description')}
        size="md"
        rows={7}
        error={fieldErrorText(errors.description)}
      />
    </>
  );
}

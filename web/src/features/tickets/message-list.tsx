import type { TicketMessage } from '@cellhop/contract/tickets';
import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import type { List } from '../../data/use-list.ts';
import { LinkedText } from '../../ui/linked-text.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import classes from './ticket-page.module.css';

const PLACEHOLDERS = ['right', 'left', 'right'] as const;

interface MessageListProps<Message extends TicketMessage> {
  messages: List<Message>;
  page: number;
  onPage: (page: number) => void;
  /** The side of the reader; messages of the other side are on the left. */
  isRight: (message: Message) => boolean;
  authorOf: (message: Message) => string;
}

/** A page of a ticket's messages, newest first. */
export function MessageList<Message extends TicketMessage>(props: MessageListProps<Message>) {
  const { messages, page, onPage, isRight, authorOf } = props;
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
                      <strong>{authorOf(message)}</strong>
                      <time dateTime={message.createdAt}>{formatDate(message.createdAt)}</time>
                    </div>
                    <p>
                      <LinkedText text={message.content} />
                    </p>
                  </li>
                ))}
          </ol>
        </section>
      )}
    </PagedList>
  );
}

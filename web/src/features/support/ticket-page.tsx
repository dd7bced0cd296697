import type { Ticket, TicketMessage } from '@cellhop/contract/support';
import { Button, Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { showErrorToast } from '../../lib/error-text.ts';
import { formatDate } from '../../lib/format.ts';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { Pages } from '../../ui/pages.tsx';
import { useCloseTicket, useMessages, useTicket } from './api.ts';
import { MessageForm } from './message-form.tsx';
import { TicketStatusBadge } from './ticket-status-badge.tsx';
import classes from './ticket-page.module.css';

interface TicketPageProps {
  id: string;
  page: number;
  onPage: (page: number) => void;
}

export function TicketPage({ id, page, onPage }: TicketPageProps) {
  const { t } = useTranslation(['support', 'common']);
  const ticket = useTicket(id);
  const found = ticket.data?.data;
  if (ticket.isError && found === undefined)
    return (
      <LoadFailure
        text={t('ticket.failed')}
        error={ticket.error}
        isRetrying={ticket.isFetching}
        onRetry={() => void ticket.refetch()}
      />
    );
  return (
    <div className={classes['page']}>
      <Breadcrumbs
        items={[{ label: t('common:titles.support'), to: '/support/tickets' }, { label: found?.name ?? '…' }]}
      />
      {found === undefined ? <Skeleton height={190} radius="lg" /> : <Question ticket={found} />}
      {found?.status === 'OPEN' && <MessageForm ticketId={id} onSent={() => onPage(1)} />}
      {found?.status === 'CLOSED' && <p className={classes['closed']}>{t('ticket.isClosed')}</p>}
      <Messages id={id} page={page} onPage={onPage} />
    </div>
  );
}

function Question({ ticket }: { ticket: Ticket }) {
  const { t } = useTranslation('support');
  const closing = useCloseTicket(ticket.id);
  return (
    <article className={classes['question']}>
      <div className={classes['head']}>
        <time dateTime={ticket.createdAt}>{formatDate(ticket.createdAt)}</time>
        <TicketStatusBadge status={ticket.status} />
        {ticket.status === 'OPEN' && (
          <Button
            className={classes['close'] ?? ''}
            variant="default"
            size="compact-sm"
            loading={closing.isPending}
            onClick={() => closing.mutate(undefined, { onError: (error) => showErrorToast(error) })}
          >
            {t('ticket.close')}
          </Button>
        )}
      </div>
      <h2>{ticket.name}</h2>
      <p>{ticket.description}</p>
    </article>
  );
}

function Messages({ id, page, onPage }: TicketPageProps) {
  const { t } = useTranslation('support');
  const messages = useMessages(id, page);
  const items = messages.data?.data;
  if (messages.isError && items === undefined)
    return (
      <LoadFailure
        text={t('messages.failed')}
        error={messages.error}
        isRetrying={messages.isFetching}
        onRetry={() => void messages.refetch()}
      />
    );
  if (items?.length === 0) return <EmptyList text={t('messages.empty')} />;
  return (
    <section aria-label={t('messages.label')} aria-busy={items === undefined}>
      <ol className={classes['messages']} aria-live="polite">
        {items === undefined ? (
          <Skeleton component="li" height={88} radius="lg" />
        ) : (
          items.map((message) => <Message key={message.id} message={message} />)
        )}
      </ol>
      <Pages page={page} totalPages={messages.data?.totalPages ?? 0} onChange={onPage} />
    </section>
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

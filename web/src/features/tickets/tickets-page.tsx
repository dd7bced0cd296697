import type { Ticket } from '@cellhop/contract/tickets';
import { Button, Skeleton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { useTickets } from './api.ts';
import { OpenTicketDialog } from './open-ticket-dialog.tsx';
import { TicketStatusBadge } from './ticket-status-badge.tsx';
import classes from './tickets-page.module.css';

const PLACEHOLDERS = ['1', '2', '3', '4', '5', '6'];

interface TicketsPageProps {
  page: number;
  isCreating: boolean;
  onPage: (page: number) => void;
  onCreating: (isCreating: boolean) => void;
  onCreated: (ticket: Ticket) => void;
}

export function TicketsPage({ page, isCreating, onPage, onCreating, onCreated }: TicketsPageProps) {
  const { t } = useTranslation('support');
  const tickets = useTickets(page);
  return (
    <>
      <Button
        className={classes['open'] ?? ''}
        leftSection={<IconPlus size={18} aria-hidden="true" />}
        onClick={() => onCreating(true)}
      >
        {t('create.open')}
      </Button>
      <PagedList
        list={tickets}
        page={page}
        onPage={onPage}
        failureText={t('list.failed')}
        empty={<EmptyList text={t('list.empty')} />}
      >
        {(items) => (
          <ul className={classes['cards']} aria-label={t('list.label')} aria-busy={items === undefined}>
            {items === undefined
              ? PLACEHOLDERS.map((key) => <CardPlaceholder key={key} />)
              : items.map((ticket) => <TicketCard key={ticket.id} ticket={ticket} />)}
          </ul>
        )}
      </PagedList>
      <OpenTicketDialog isOpen={isCreating} onClose={() => onCreating(false)} onCreated={onCreated} />
    </>
  );
}

function CardPlaceholder() {
  return (
    <li className={classes['card']} aria-hidden="true">
      <Skeleton height={16} width="45%" mt={4} />
      <Skeleton height={20} width="85%" />
      <Skeleton height={16} width="18%" />
    </li>
  );
}

function TicketCard({ ticket: { id, name, status, createdAt } }: { ticket: Ticket }) {
  const { t } = useTranslation('support');
  return (
    <li className={classes['card']}>
      <div className={classes['head']}>
        <time dateTime={createdAt}>{formatDate(createdAt)}</time>
        <TicketStatusBadge status={status} />
      </div>
      <h2>{name}</h2>
      <Link to="/support/tickets/$ticketId" params={{ ticketId: id }} aria-label={t('list.showOf', { name })}>
        {t('list.show')}
      </Link>
    </li>
  );
}

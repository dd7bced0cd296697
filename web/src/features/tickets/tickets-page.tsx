import type { Ticket } from '@cellhop/contract/tickets';
import { Button, Skeleton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { creatingSearch } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { useTickets } from './api.ts';
import { OpenTicketDialog } from './open-ticket-dialog.tsx';
import { ticketsScreen } from './screen.ts';
import { TicketStatusBadge } from './ticket-status-badge.tsx';
import classes from './tickets-page.module.css';

const PLACEHOLDERS = ['1', '2', '3', '4', '5', '6'];

export function TicketsPage() {
  const [{ page = 1, create = false }, change] = useScreenSearch(ticketsScreen);
  const setCreating = (isCreating: boolean) => change({ create: isCreating || undefined }, { replace: !isCreating });
  const navigate = useNavigate();
  const { t } = useTranslation('support');
  const tickets = useTickets(page);
  return (
    <>
      <Button
        className={classes['open'] ?? ''}
        leftSection={<IconPlus size={18} aria-hidden="true" />}
        onClick={() => setCreating(true)}
      >
        {t('create.open')}
      </Button>
      <PagedList
        list={tickets}
        page={page}
        onPage={(chosen) => change(creatingSearch({ page: chosen }))}
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
      <OpenTicketDialog
        isOpen={create}
        onClose={() => setCreating(false)}
        onCreated={({ id }) =>
          void navigate({ to: '/support/tickets/$ticketId', params: { ticketId: id }, replace: true })
        }
      />
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

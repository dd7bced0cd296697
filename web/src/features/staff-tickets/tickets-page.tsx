import { LISTED_ROWS_MAX } from '@cellhop/contract/limits';
import type { TicketView, StaffTicket } from '@cellhop/contract/staff/tickets';
import { ticketViews } from '@cellhop/contract/staff/lists.values';
import { Button, Select } from '@mantine/core';
import { IconMessageBolt } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../format/format.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { CreateButton } from '../../ui/create-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import type { TimeOrder } from '../staff-parts/continuation.ts';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { durationText } from '../staff-parts/duration.ts';
import { ListHead } from '../staff-parts/list-head.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { OfUserNotice } from '../staff-parts/user-tabs.tsx';
import { TicketStatusBadge } from '../tickets/ticket-parts.tsx';
import { useTicketsOfUsers, useFirstReplies, useViewCounts } from './api.ts';
import { CreateTicketForm } from './create-ticket-form.tsx';
import {
  shownView,
  staffTicketsScreen,
  type StaffTicketsSearch,
  replyDays,
  type ReplyDays,
  staffTicketsSearch,
} from './screen.ts';
import { TicketsFilter } from './tickets-filter.tsx';
import { Wait } from './wait.tsx';
import classes from './tickets-page.module.css';

/** The view of waiting customers is sorted by waiting time. */
const orders: Record<TicketView, TimeOrder | undefined> = {
  all: 'NEWEST_FIRST',
  open: 'NEWEST_FIRST',
  mine: 'NEWEST_FIRST',
  waiting: undefined,
  oldest: 'OLDEST_FIRST',
};

export function TicketsPage() {
  const [search, change] = useScreenSearch(staffTicketsScreen);
  const navigate = useNavigate();
  const changeFilter = (filter: StaffTicketsSearch) => change({ ...filter, page: undefined }, { replace: true });
  const setCreating = (create: boolean) => change({ create: create || undefined }, { replace: !create });
  const { t } = useTranslation('staffSupport');
  const { page = 1, userId, status, words, from, to, since, until, days, create = false } = search;
  const view = shownView(search);
  const isUnfiltered = [userId, words, from, to].every((value) => value === undefined);
  const tickets = useTicketsOfUsers({ page, view, userId, status, words, from, to, since, until });
  const canCreate = usePermission('TICKETS_EDIT');
  return (
    <>
      <ListHead
        actions={
          <>
            <Button
              variant="default"
              component={Link}
              to="/admin/tickets/replies"
              leftSection={<IconMessageBolt size={18} stroke={1.6} aria-hidden="true" />}
            >
              {t('replies.title')}
            </Button>
            {canCreate && <CreateButton text={t('create.open')} onClick={() => setCreating(true)} />}
          </>
        }
      >
        <FirstReply days={days ?? '30'} onDays={(chosen) => changeFilter({ days: chosen })} />
      </ListHead>
      <OfUserNotice userId={userId} current="tickets" />
      <ViewLinks view={view} search={search} />
      <TicketsFilter search={search} onFilter={changeFilter} />
      <ContinuedList
        list={tickets}
        page={page}
        onPage={(chosen) => change({ page: chosen })}
        moments={{ since, until }}
        onMoments={changeFilter}
        order={orders[view]}
        failureText={t('list.failed')}
        empty={<EmptyList text={t(isUnfiltered && view === 'waiting' ? 'list.nobodyWaits' : 'list.empty')} />}
      >
        {(rows) => <TicketsTable tickets={rows} />}
      </ContinuedList>
      {canCreate && (
        <Dialog isOpen={create} title={t('create.title')} onClose={() => setCreating(false)}>
          <CreateTicketForm
            userId={userId}
            onCreated={({ id }) =>
              void navigate({ to: '/admin/tickets/$ticketId', params: { ticketId: id }, replace: true })
            }
          />
        </Dialog>
      )}
    </>
  );
}

interface FirstReplyProps {
  days: ReplyDays;
  onDays: (days: ReplyDays) => void;
}

/** The median time to the first reply. */
function FirstReply({ days, onDays }: FirstReplyProps) {
  const { t } = useTranslation('staffSupport');
  const measured = useFirstReplies(Number(days));
  return (
    <div className={classes['reply']}>
      <p>
        {t('firstReply.label')}{' '}
        <strong>{measured === undefined ? '…' : <Median seconds={measured.medianSeconds} />}</strong>{' '}
        {measured !== undefined && t('firstReply.tickets', { tickets: formatCount(measured.ticketCount) })}
      </p>
      <Select
        className={classes['days'] ?? ''}
        aria-label={t('firstReply.range')}
        data={replyDays.map((each) => ({ value: each, label: t(`firstReply.last.${each}`) }))}
        value={days}
        allowDeselect={false}
        onChange={(chosen) => chosen !== null && onDays(chosen)}
      />
    </div>
  );
}

function Median({ seconds }: { seconds: number | null }) {
  const { t } = useTranslation(['staff', 'staffSupport']);
  return seconds === null ? t('staffSupport:firstReply.none') : durationText(seconds, t);
}

/** The saved views, each with the number of its tickets of all users. A filter stays when the view changes. */
function ViewLinks({ view, search }: { view: TicketView; search: StaffTicketsSearch }) {
  const { t } = useTranslation('staffSupport');
  const counts: Partial<Record<TicketView, number>> | undefined = useViewCounts();
  return (
    <nav className={classes['views']} aria-label={t('views.label')}>
      <ul>
        {ticketViews.map((each) => (
          <li key={each}>
            <Link
              to="/admin/tickets"
              search={each === view ? search : staffTicketsSearch({ ...search, page: undefined, view: each })}
              // Marks the current view with aria-current, regardless of the filter and the page.
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {t(`views.${each}`)}
              <Count count={counts?.[each]} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Larger numbers are not counted. */
function Count({ count }: { count: number | undefined }) {
  if (count === undefined) return null;
  return <span>{count >= LISTED_ROWS_MAX ? `${formatCount(LISTED_ROWS_MAX)}+` : formatCount(count)}</span>;
}

function TicketsTable({ tickets }: { tickets: readonly StaffTicket[] | undefined }) {
  const { t } = useTranslation(['staffSupport', 'staff']);
  const columns: Column<StaffTicket>[] = [
    {
      key: 'name',
      header: t('list.name'),
      place: 'heading',
      render: ({ id, name }) => (
        <Link to="/admin/tickets/$ticketId" params={{ ticketId: id }} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Link>
      ),
    },
    {
      key: 'status',
      header: t('list.status'),
      place: 'heading',
      render: ({ status }) => <TicketStatusBadge status={status} />,
    },
    { key: 'user', place: 'line', header: t('staff:user'), render: ({ user }) => <UserLink user={user} /> },
    {
      key: 'assignee',
      place: 'line',
      header: t('list.assignee'),
      render: ({ assignee }) => assignee?.email ?? t('list.nobody'),
    },
    {
      key: 'waitingSince',
      place: 'line',
      header: t('list.waiting'),
      isUnbroken: true,
      render: ({ waitingSince }) => (waitingSince === null ? '–' : <Wait since={waitingSince} />),
      renderInCard: ({ waitingSince }) => waitingSince !== null && <Wait since={waitingSince} />,
    },
    { ...timeColumn('createdAt', t('list.createdAt')), place: 'none' },
  ];
  return <DataTable label={t('list.label')} columns={columns} rows={tickets} rowKey={({ id }) => id} isDense />;
}

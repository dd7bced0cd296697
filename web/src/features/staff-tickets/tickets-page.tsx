import type { TicketView } from '@cellhop/contract/staff/tickets';
import { Button, Group } from '@mantine/core';
import { IconMessageBolt, IconPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import type { TimeOrder } from '../staff-parts/continuation.ts';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { OfUserNotice } from '../staff-parts/of-user-notice.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useTicketsOfUsers } from './api.ts';
import { CreateTicketDialog } from './create-ticket-dialog.tsx';
import { FirstReply } from './first-reply.tsx';
import { staffTicketsScreen, type StaffTicketsSearch } from './screen.ts';
import { TicketsFilter } from './tickets-filter.tsx';
import { TicketsTable } from './tickets-table.tsx';
import classes from './tickets-page.module.css';
import { ViewLinks } from './view-links.tsx';

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
  const { page = 1, view = 'all', userId, status, words, from, to, since, until, days, create = false } = search;
  const tickets = useTicketsOfUsers({ page, view, userId, status, words, from, to, since, until });
  const canCreate = usePermission('TICKETS_EDIT');
  return (
    <>
      <div className={classes['top']}>
        <Group gap="xs">
          {canCreate && (
            <Button leftSection={<IconPlus size={18} aria-hidden="true" />} onClick={() => setCreating(true)}>
              {t('create.open')}
            </Button>
          )}
          <Button
            variant="default"
            component={Link}
            to="/admin/tickets/replies"
            leftSection={<IconMessageBolt size={18} stroke={1.6} aria-hidden="true" />}
          >
            {t('replies.title')}
          </Button>
        </Group>
        <FirstReply days={days ?? '30'} onDays={(chosen) => changeFilter({ days: chosen })} />
      </div>
      <OfUserNotice userId={userId} />
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
        empty={<EmptyList text={t('list.empty')} />}
      >
        {(rows) => <TicketsTable tickets={rows} />}
      </ContinuedList>
      {canCreate && (
        <CreateTicketDialog
          isOpen={create}
          userId={userId}
          onClose={() => setCreating(false)}
          onCreated={({ id }) =>
            void navigate({ to: '/admin/tickets/$ticketId', params: { ticketId: id }, replace: true })
          }
        />
      )}
    </>
  );
}

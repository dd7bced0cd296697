import type { StaffTicket } from '@cellhop/contract/staff/tickets';
import { Button, Select } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useScreenParams, useScreenSearch } from '../../loading/use-screen.ts';
import { useProfile } from '../../session/profile.ts';
import { StaffBreadcrumbs } from '../staff-parts/staff-breadcrumbs.tsx';
import { PageFailure } from '../../ui/page-failure.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { MessageList, QuestionPlaceholder, TicketQuestion } from '../tickets/ticket-parts.tsx';
import parts from '../tickets/ticket-page.module.css';
import { AnswerForm } from './answer-form.tsx';
import { useAnyMessages, useAnyTicket, useCloseAnyTicket, useAssign, useAssignees } from './api.ts';
import { BesideTicket, Notes } from './beside-ticket.tsx';
import { staffTicketScreen } from './screen.ts';
import classes from './ticket-page.module.css';
import { Wait } from './wait.tsx';

export function TicketPage() {
  const { ticketId: id } = useScreenParams(staffTicketScreen);
  const [{ page = 1, notes = 1 }, change] = useScreenSearch(staffTicketScreen);
  const { t } = useTranslation(['staffSupport', 'support']);
  const ticket = useAnyTicket(id);
  // Loaded in parallel and shown together, so that nothing moves when the ticket's height is known.
  const messages = useAnyMessages(id, page);
  const canAnswer = usePermission('TICKETS_MSG_WRITE');
  const [isClosedHere, setClosedHere] = useState(false);
  const found = ticket.response?.data;
  const name = found?.name ?? t('support:ticket.title');
  useDocumentTitle(name);
  return (
    <>
      <StaffBreadcrumbs to="/admin/tickets" items={[{ label: name }]} />
      {ticket.failure !== undefined ? (
        <PageFailure
          failure={ticket.failure}
          text={t('support:ticket.failed')}
          missingText={t('ticket.missing')}
          list={<Link to="/admin/tickets">{t('support:ticket.all')}</Link>}
        />
      ) : found === undefined ? (
        <QuestionPlaceholder />
      ) : (
        <div className={classes['columns']}>
          <div className={classes['conversation']}>
            <Question ticket={found} />
            {found.status === 'OPEN' && canAnswer && (
              <AnswerForm ticket={found} onSent={() => change({ page: 1 })} onClosed={() => setClosedHere(true)} />
            )}
            {found.status === 'CLOSED' && (
              // The focus would be lost with the form.
              <p className={parts['closed']} tabIndex={-1} ref={isClosedHere ? focus : undefined}>
                {t('ticket.isClosed')}
              </p>
            )}
            <MessageList
              messages={messages}
              page={page}
              onPage={(chosen) => change({ page: chosen })}
              ticketPath={`/v1/support/admin/tickets/${id}`}
              isRight={({ isUser }) => !isUser}
              authorName={({ author, isUser }) => (isUser ? author.email : t('ticket.ofTeam', { email: author.email }))}
            />
          </div>
          <aside className={classes['side']} aria-label={t('beside.label')}>
            <BesideTicket ticket={found} />
            <Notes ticketId={id} page={notes} onPage={(chosen) => change({ notes: chosen })} canWrite={canAnswer} />
          </aside>
        </div>
      )}
    </>
  );
}

function focus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}

function Question({ ticket }: { ticket: StaffTicket }) {
  const canClose = usePermission('TICKETS_EDIT') && ticket.status === 'OPEN';
  const closing = useCloseAnyTicket(ticket.id);
  return (
    <TicketQuestion ticket={ticket} closing={canClose ? closing : undefined} author={<Author ticket={ticket} />}>
      <div className={parts['wide']}>
        <Assignment ticket={ticket} />
      </div>
    </TicketQuestion>
  );
}

function Author({ ticket: { user, waitingSince } }: { ticket: StaffTicket }) {
  return (
    <>
      <UserLink user={user} />
      {waitingSince !== null && <Wait since={waitingSince} />}
    </>
  );
}

/** Who works on the ticket. While it is open, staff who may answer can change it. */
function Assignment({ ticket }: { ticket: StaffTicket }) {
  const { t } = useTranslation('staffSupport');
  const canAssign = usePermission('TICKETS_MSG_WRITE') && ticket.status === 'OPEN';
  const { assignee } = ticket;
  if (!canAssign)
    return <p className={classes['muted']}>{t('assign.is', { name: assignee?.email ?? t('list.nobody') })}</p>;
  return <AssigneeSelect ticket={ticket} />;
}

function AssigneeSelect({ ticket }: { ticket: StaffTicket }) {
  const { t } = useTranslation('staffSupport');
  const me = useProfile();
  const assignees = useAssignees(true) ?? [];
  // What the member of staff saw when they opened the list of names.
  const [seen, setSeen] = useState(ticket);
  const assigning = useAssign(ticket.id);
  const { assignee } = ticket;
  // The assignee may have left the staff.
  const known =
    assignee === null || assignees.some(({ id }) => id === assignee.id) ? assignees : [assignee, ...assignees];
  return (
    <div className={classes['assignment']}>
      <Select
        className={classes['assignee'] ?? ''}
        label={t('assign.label')}
        placeholder={t('list.nobody')}
        data={known.map(({ id, email }) => ({ value: id, label: email }))}
        value={assignee?.id ?? null}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('assign.clear') }}
        nothingFoundMessage={t('assign.unknown')}
        disabled={assigning.isRunning}
        onDropdownOpen={() => setSeen(ticket)}
        onChange={(id) => void assigning.run({ assigneeId: id, version: (id === null ? ticket : seen).version })}
      />
      {me !== undefined && assignee?.id !== me.id && (
        <Button
          variant="default"
          loading={assigning.isRunning}
          onClick={() => void assigning.run({ assigneeId: me.id, version: ticket.version })}
        >
          {t('assign.toMe')}
        </Button>
      )}
    </div>
  );
}

import type { StaffTicket } from '@cellhop/contract/staff/tickets';
import { Button, Select } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../data/use-api-query.ts';
import { formatDate } from '../../format/format.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useScreenParams, useScreenSearch } from '../../loading/use-screen.ts';
import { useProfile } from '../../session/profile.ts';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { MessageList, QuestionPlaceholder, TicketStatusBadge } from '../tickets/ticket-parts.tsx';
import parts from '../tickets/ticket-page.module.css';
import { AnswerForm } from './answer-form.tsx';
import { useAnyMessages, useAnyTicket, useCloseAnyTicket, useAssign, useAssignees } from './api.ts';
import { BesideTicket, Notes } from './beside-ticket.tsx';
import { staffTicketScreen } from './screen.ts';
import classes from './ticket-page.module.css';

export function TicketPage() {
  const { ticketId: id } = useScreenParams(staffTicketScreen);
  const [{ page = 1, notes = 1 }, change] = useScreenSearch(staffTicketScreen);
  const { t } = useTranslation(['staffSupport', 'support', 'staff']);
  const ticket = useAnyTicket(id);
  // Loaded in parallel and shown together, so that nothing moves when the ticket's height is known.
  const messages = useAnyMessages(id, page);
  const canAnswer = usePermission('TICKETS_MSG_WRITE');
  const found = ticket.response?.data;
  const name = found?.name ?? t('support:ticket.title');
  useDocumentTitle(name);
  return (
    <>
      <Breadcrumbs items={[{ label: t('staff:titles.tickets'), to: '/admin/tickets' }, { label: name }]} />
      {ticket.failure !== undefined ? (
        <TicketFailure {...ticket.failure} />
      ) : found === undefined ? (
        <QuestionPlaceholder />
      ) : (
        <div className={classes['columns']}>
          <div className={parts['page']}>
            <Question ticket={found} />
            {found.status === 'OPEN' && canAnswer && <AnswerForm ticket={found} onSent={() => change({ page: 1 })} />}
            {found.status === 'CLOSED' && <p className={parts['closed']}>{t('ticket.isClosed')}</p>}
            <MessageList
              messages={messages}
              page={page}
              onPage={(chosen) => change({ page: chosen })}
              isRight={({ isUser }) => !isUser}
              authorOf={({ author, isUser }) => (isUser ? author.email : t('ticket.ofTeam', { email: author.email }))}
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

/** A retry helps after a failure, but not with a wrong URL. */
function TicketFailure(failure: Failure) {
  const { t } = useTranslation(['staffSupport', 'support']);
  const isMissing = failure.error.code === 'NOT_FOUND' || failure.error.code === 'VALIDATION';
  if (!isMissing) return <LoadFailure text={t('support:ticket.failed')} {...failure} />;
  return (
    <LoadFailure text={t('support:ticket.failed')}>
      <span>{t('ticket.missing')}</span>
      <Link to="/admin/tickets">{t('support:ticket.all')}</Link>
    </LoadFailure>
  );
}

function Question({ ticket }: { ticket: StaffTicket }) {
  const { t } = useTranslation('support');
  const [isConfirming, setConfirming] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const canClose = usePermission('TICKETS_EDIT') && ticket.status === 'OPEN';
  const closing = useCloseAnyTicket(ticket.id);

  async function close(): Promise<void> {
    if ((await closing.run()) === undefined) return;
    setConfirming(false);
    // The dialog would return the focus to a removed button.
    heading.current?.focus({ preventScroll: true });
  }

  return (
    <article className={parts['question']}>
      <div className={parts['head']}>
        <time dateTime={ticket.createdAt}>{formatDate(ticket.createdAt)}</time>
        <TicketStatusBadge status={ticket.status} />
        <UserLink user={ticket.user} />
      </div>
      <h2 ref={heading} tabIndex={-1}>
        {ticket.name}
      </h2>
      <p>{ticket.description}</p>
      <div className={parts['wide']}>
        <Assignment ticket={ticket} />
      </div>
      {canClose && (
        <Button className={parts['close'] ?? ''} variant="default" size="xs" onClick={() => setConfirming(true)}>
          {t('ticket.close')}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isConfirming && canClose}
        title={t('ticket.closing.title')}
        text={t('ticket.closing.text')}
        action={t('ticket.close')}
        isWorking={closing.isRunning}
        onConfirm={close}
        onClose={() => setConfirming(false)}
      />
    </article>
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

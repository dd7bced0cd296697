import type { StaffTicket } from '@cellhop/contract/staff/tickets';
import { ticketNoteBody } from '@cellhop/contract/staff/tickets.forms';
import { Button, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../data/form-errors.ts';
import { countryName, formatDate, language } from '../../format/format.ts';
import { formatBalance } from '../../format/money.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { Facts } from '../../ui/facts.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { Time } from '../../ui/columns.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { TicketStatusBadge } from '../tickets/ticket-parts.tsx';
import { mentionedFirst } from './mentioned.ts';
import { useBalance, useLiveConnections, useOtherTickets, useNotes, useWriteNote } from './api.ts';
import classes from './ticket-page.module.css';

/** More would push the notes out of view; the link above them leads to all. */
const LIVE_SHOWN_MAX = 5;

/** Information about the customer; each part needs its own permission. */
export function BesideTicket({ ticket }: { ticket: StaffTicket }) {
  const { t } = useTranslation(['staffSupport', 'common']);
  const canReadUsers = usePermission('USERS_READ');
  const canReadConnections = usePermission('CONNECTIONS_READ');
  const { user } = ticket;
  return (
    <>
      <section className={classes['panel']} aria-labelledby="customer">
        <h3 id="customer">{t('beside.customer')}</h3>
        <Facts
          items={[
            { label: t('beside.email'), value: <UserLink user={user} />, isWide: true },
            { label: t('common:language'), value: t(`common:languages.${user.languageCode}`) },
            ...(canReadUsers ? [{ label: t('beside.balance'), value: <Balance id={ticket.id} /> }] : []),
          ]}
        />
      </section>
      {canReadConnections && <LiveConnections ticket={ticket} />}
      <OtherTickets ticket={ticket} />
    </>
  );
}

function Balance({ id }: { id: string }) {
  const { t } = useTranslation('staffSupport');
  const { response, failure } = useBalance(id);
  if (failure !== undefined) return t('beside.failed');
  return response === undefined ? '…' : formatBalance(response.data.balance);
}

function LiveConnections({ ticket }: { ticket: StaffTicket }) {
  const { id, user } = ticket;
  const { t } = useTranslation('staffSupport');
  const { rows, failure } = useLiveConnections(id);
  const hidden = Math.max(0, (rows?.length ?? 0) - LIVE_SHOWN_MAX);
  return (
    <section className={classes['panel']} aria-labelledby="live-connections">
      <div className={classes['row']}>
        <h3 id="live-connections">{t('beside.connections')}</h3>
        <Link to="/admin/connections" search={{ userId: user.id }}>
          {t('beside.allConnections')}
        </Link>
      </div>
      {failure !== undefined ? (
        <p>{t('beside.failed')}</p>
      ) : rows?.length === 0 ? (
        <p className={classes['muted']}>{t('beside.noConnections')}</p>
      ) : (
        <ul aria-busy={rows === undefined}>
          {mentionedFirst(rows ?? [], ticket)
            .slice(0, LIVE_SHOWN_MAX)
            .map(({ connection, isMentioned }) => (
              <li key={connection.id} className={classes['row']}>
                <span>
                  <Link to="/admin/connections" search={{ userId: user.id, connection: connection.id }}>
                    {connection.ip}
                  </Link>{' '}
                  ({countryName(connection.countryCode, language())}, <bdi>{connection.city}</bdi>)
                  {isMentioned && <strong className={classes['mentioned']}>{t('beside.mentioned')}</strong>}
                </span>
                <time className={classes['muted']} dateTime={connection.createdAt}>
                  {formatDate(connection.createdAt)}
                </time>
              </li>
            ))}
          {hidden > 0 && <li className={classes['muted']}>{t('beside.moreConnections', { count: hidden })}</li>}
        </ul>
      )}
    </section>
  );
}

function OtherTickets({ ticket }: { ticket: StaffTicket }) {
  const { t } = useTranslation('staffSupport');
  const { rows, failure } = useOtherTickets(ticket);
  return (
    <section className={classes['panel']} aria-labelledby="other-tickets">
      <div className={classes['row']}>
        <h3 id="other-tickets">{t('beside.others')}</h3>
        <Link to="/admin/tickets" search={{ userId: ticket.user.id }}>
          {t('beside.allTickets')}
        </Link>
      </div>
      {failure !== undefined ? (
        <p>{t('beside.failed')}</p>
      ) : rows?.length === 0 ? (
        <p className={classes['muted']}>{t('beside.noOthers')}</p>
      ) : (
        <ul aria-busy={rows === undefined}>
          {rows?.map(({ id, name, status }) => (
            <li key={id} className={classes['row']}>
              <Link to="/admin/tickets/$ticketId" params={{ ticketId: id }}>
                {name}
              </Link>
              <TicketStatusBadge status={status} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface NotesProps {
  ticketId: string;
  page: number;
  onPage: (page: number) => void;
  canWrite: boolean;
}

/** Internal notes: customers never see them. */
export function Notes({ ticketId, page, onPage, canWrite }: NotesProps) {
  const { t } = useTranslation('staffSupport');
  const notes = useNotes(ticketId, page);
  return (
    <section className={classes['panel']} aria-labelledby="notes">
      <h3 id="notes">{t('notes.title')}</h3>
      <p className={classes['muted']}>{t('notes.hint')}</p>
      {canWrite && <NoteForm ticketId={ticketId} onWritten={() => onPage(1)} />}
      <PagedList
        list={notes}
        page={page}
        onPage={onPage}
        failureText={t('notes.failed')}
        empty={<p className={classes['muted']}>{t('notes.empty')}</p>}
      >
        {(rows) => (
          <ol aria-live="polite" aria-busy={rows === undefined}>
            {rows?.map(({ id, content, author, createdAt }) => (
              <li key={id} className={classes['note']}>
                <div className={classes['muted']}>
                  {author.email} · <Time at={createdAt} />
                </div>
                <p>{content}</p>
              </li>
            ))}
          </ol>
        )}
      </PagedList>
    </section>
  );
}

function NoteForm({ ticketId, onWritten }: { ticketId: string; onWritten: () => void }) {
  const { t } = useTranslation('staffSupport');
  const writing = useWriteNote(ticketId);
  const form = useSchemaForm(ticketNoteBody, { content: '' });
  const submit = form.handleSubmit(async (body) => {
    if ((await writing.run(body)) === undefined) return;
    form.reset();
    onWritten();
  });
  return (
    <form className={classes['answer']} noValidate onSubmit={(event) => void submit(event)}>
      <Textarea
        {...form.register('content')}
        label={t('notes.label')}
        rows={3}
        error={fieldErrorText(form.formState.errors.content)}
      />
      <Button type="submit" variant="default" loading={writing.isRunning}>
        {t('notes.submit')}
      </Button>
    </form>
  );
}

import type { Ticket } from '@cellhop/contract/tickets';
import { createTicketBody, type CreateTicketBody } from '@cellhop/contract/tickets.forms';
import { Button, Skeleton, Alert, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { errorText, toLimitMinutes } from '../../data/error-text.ts';
import { formatDate } from '../../format/format.ts';
import { useDraft, useKeptDraft, textDraft } from '../../hooks/use-draft.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { creatingSearch } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { Dialog } from '../../ui/dialog.tsx';
import cards from '../../ui/link-card.module.css';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { useTickets, useCreateTicket } from './api.ts';
import { FilesField, useFilesToKeep } from './files-field.tsx';
import { ticketsScreen } from './screen.ts';
import { TicketStatusBadge, TicketFields } from './ticket-parts.tsx';
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
          <ul className={cards['cards']} aria-label={t('list.label')} aria-busy={items === undefined}>
            {items === undefined
              ? PLACEHOLDERS.map((key) => <CardPlaceholder key={key} />)
              : items.map((ticket) => <TicketCard key={ticket.id} ticket={ticket} />)}
          </ul>
        )}
      </PagedList>
      <Dialog isOpen={create} title={t('create.title')} onClose={() => setCreating(false)}>
        <OpenTicketForm
          onCreated={({ id }) =>
            void navigate({ to: '/support/tickets/$ticketId', params: { ticketId: id }, replace: true })
          }
        />
      </Dialog>
    </>
  );
}

function CardPlaceholder() {
  return (
    <li className={`${cards['card']} ${classes['card']}`} aria-hidden="true">
      <Skeleton height={16} width="45%" mt={4} />
      <Skeleton height={20} width="85%" />
      <Skeleton height={16} width="18%" />
    </li>
  );
}

function TicketCard({ ticket: { id, name, status, createdAt } }: { ticket: Ticket }) {
  const { t } = useTranslation('support');
  return (
    <li className={`${cards['card']} ${classes['card']}`}>
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

const isTicketDraft = textDraft<CreateTicketBody>('name', 'description');

function OpenTicketForm({ onCreated }: { onCreated: (ticket: Ticket) => void }) {
  const { t } = useTranslation('support');
  const creation = useCreateTicket();
  const files = useFilesToKeep();
  const draft = useDraft('ticket', isTicketDraft);
  const form = useSchemaForm(createTicketBody, { name: '', description: '', ...draft.read() });
  useKeptDraft(form, draft);
  const { errors } = form.formState;
  const limitMinutes = toLimitMinutes(creation.error);
  const submit = form.handleSubmit(async (body) => {
    const ticket = await creation.run({ body, files: files.contents(), text: t('create.filesText') });
    if (ticket === undefined) return;
    draft.write(undefined);
    onCreated(ticket);
  });
  return (
    <form noValidate onSubmit={(event) => void submit(event)} {...files.handlers}>
      <Stack>
        {creation.error !== null && (
          <Alert role="alert" color="red" variant="light">
            {limitMinutes === undefined ? errorText(creation.error) : t('create.limited', { count: limitMinutes })}
          </Alert>
        )}
        <TicketFields
          name={form.register('name')}
          description={form.register('description')}
          errors={errors}
          hasFocus
        />
        <FilesField files={files} />
        <Button type="submit" size="md" loading={creation.isRunning} disabled={!files.isReady}>
          {t('create.submit')}
        </Button>
      </Stack>
    </form>
  );
}

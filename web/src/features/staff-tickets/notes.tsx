import { ticketNoteBody, type TicketNoteBody } from '@cellhop/contract/staff/tickets.forms';
import { zodResolver } from '@hookform/resolvers/zod';
import { Button, Textarea } from '@mantine/core';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { fieldErrorText, formErrorMap } from '../../data/form-errors.ts';
import { PagedList } from '../../ui/paged-list.tsx';
import { useNotes, useWriteNote } from './api.ts';
import classes from './ticket-page.module.css';

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
                  {author.email} · <time dateTime={createdAt}>{formatDate(createdAt)}</time>
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
  const form = useForm<TicketNoteBody>({
    resolver: zodResolver(ticketNoteBody, { error: formErrorMap }),
    defaultValues: { content: '' },
  });
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

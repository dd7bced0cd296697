import type { CannedReply } from '@cellhop/contract/staff/canned-replies';
import { cannedReplyBody, type CannedReplyBody } from '@cellhop/contract/staff/tickets.forms';
import { Button, Group, Alert, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { fieldErrorText } from '../../data/form-errors.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useSchemaForm } from '../../hooks/use-schema-form.ts';
import { readLanguage } from '../../i18n/languages.ts';
import { StaffBreadcrumbs } from '../staff-parts/staff-breadcrumbs.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CreateButton } from '../../ui/create-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { RowButton, timeColumn } from '../../ui/columns.tsx';
import { ListHead } from '../staff-parts/list-head.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { isConflict } from './api.ts';
import { useCannedReplies, useDeleteCannedReply, useSaveCannedReply } from './canned-replies-api.ts';

export function CannedRepliesPage() {
  const { t } = useTranslation('staffSupport');
  const replies = useCannedReplies();
  const canEdit = usePermission('TICKETS_EDIT');
  const [isAdding, setAdding] = useState(false);
  const [edited, deleted] = [useRowSnapshot<CannedReply>(), useRowSnapshot<CannedReply>()];
  const deletion = useDeleteCannedReply();
  useDocumentTitle(t('replies.title'));

  async function confirmDeletion(): Promise<void> {
    if (deleted.row !== undefined) await deletion.run(deleted.row);
    deleted.close();
  }

  return (
    <>
      <StaffBreadcrumbs to="/admin/tickets" items={[{ label: t('replies.title') }]} />
      {canEdit && <ListHead actions={<CreateButton text={t('replies.add')} onClick={() => setAdding(true)} />} />}
      <PagedList
        list={replies}
        page={1}
        onPage={() => undefined}
        failureText={t('replies.failed')}
        empty={<EmptyList text={t('replies.empty')} />}
      >
        {(rows) => <RepliesTable replies={rows} {...(canEdit && { onEdit: edited.open, onDelete: deleted.open })} />}
      </PagedList>
      <CannedReplyDialog reply={undefined} isOpen={isAdding} onClose={() => setAdding(false)} />
      {edited.shown !== undefined && (
        <CannedReplyDialog reply={edited.shown} isOpen={edited.isOpen} onClose={edited.close} />
      )}
      <ConfirmDialog
        isOpen={deleted.isOpen}
        title={t('replies.deleting', { title: deleted.shown?.title ?? '' })}
        text={t('replies.deletingText')}
        action={t('replies.delete')}
        isDangerous
        isWorking={deletion.isRunning}
        onConfirm={confirmDeletion}
        onClose={deleted.close}
      />
    </>
  );
}

interface RepliesTableProps {
  replies: readonly CannedReply[] | undefined;
  /** Undefined if the member of staff may not change them. */
  onEdit?: (reply: CannedReply) => void;
  onDelete?: (reply: CannedReply) => void;
}

function RepliesTable({ replies, onEdit, onDelete }: RepliesTableProps) {
  const { t, i18n } = useTranslation('staffSupport');
  const language = readLanguage(i18n);
  const columns: Column<CannedReply>[] = [
    { key: 'title', header: t('replies.name'), place: 'heading', render: ({ title }) => title },
    {
      key: 'contentEn',
      header: t('replies.english'),
      place: language === 'en' ? 'line' : 'none',
      render: ({ contentEn }) => <Excerpt text={contentEn} />,
    },
    {
      key: 'contentRu',
      header: t('replies.russian'),
      place: language === 'ru' ? 'line' : 'none',
      render: ({ contentRu }) => <Excerpt text={contentRu} />,
    },
    { ...timeColumn('updatedAt', t('replies.updatedAt')), place: 'line' },
  ];
  if (onEdit !== undefined && onDelete !== undefined)
    columns.push({
      key: 'action',
      header: t('replies.actions'),
      place: 'action',
      render: (reply) => (
        <Group gap="xs" wrap="nowrap">
          <RowButton
            text={t('replies.edit')}
            label={t('replies.editOf', { title: reply.title })}
            onClick={() => onEdit(reply)}
          />
          <RowButton
            text={t('replies.delete')}
            label={t('replies.deleteOf', { title: reply.title })}
            isDestructive
            onClick={() => onDelete(reply)}
          />
        </Group>
      ),
    });
  return <DataTable label={t('replies.title')} columns={columns} rows={replies} rowKey={({ id }) => id} isDense />;
}

const EXCERPT_LENGTH = 120;

/** Whole texts are in the dialog. */
function Excerpt({ text }: { text: string }) {
  return text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text;
}

interface CannedReplyDialogProps {
  /** Undefined: a new one. */
  reply: CannedReply | undefined;
  isOpen: boolean;
  onClose: () => void;
}

function CannedReplyDialog({ reply, isOpen, onClose }: CannedReplyDialogProps) {
  const { t } = useTranslation('staffSupport');
  return (
    <Dialog isOpen={isOpen} title={t(reply === undefined ? 'replies.add' : 'replies.editing')} onClose={onClose}>
      {isOpen && <CannedReplyForm reply={reply} onSaved={onClose} />}
    </Dialog>
  );
}

interface CannedReplyFormProps {
  reply: CannedReply | undefined;
  onSaved: () => void;
}

function CannedReplyForm({ reply, onSaved }: CannedReplyFormProps) {
  const { t } = useTranslation('staffSupport');
  // After a change by somebody else the list is refetched, and the form can adopt its values.
  const current = useCannedReplies().rows?.find(({ id }) => id === reply?.id) ?? reply;
  const [base, setBase] = useState(reply);
  const saving = useSaveCannedReply(base);
  const form = useSchemaForm(cannedReplyBody, toFormValues(reply));
  const { errors } = form.formState;
  const submit = form.handleSubmit(async (body) => {
    if ((await saving.run(body)) !== undefined) onSaved();
  });

  function takeOver(): void {
    setBase(current);
    form.reset(toFormValues(current));
    saving.reset();
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Stack>
        {saving.error !== null && (
          <Alert role="alert" color="red" variant="light">
            {errorText(saving.error)}
            {isConflict(saving.error) && (
              <Button mt="xs" size="compact-sm" variant="default" onClick={takeOver}>
                {t('replies.takeOver')}
              </Button>
            )}
          </Alert>
        )}
        <TextInput
          {...form.register('title')}
          label={t('replies.name')}
          size="md"
          data-autofocus
          error={fieldErrorText(errors.title)}
        />
        <Textarea
          {...form.register('contentEn')}
          label={t('replies.english')}
          size="md"
          rows={5}
          error={fieldErrorText(errors.contentEn)}
        />
        <Textarea
          {...form.register('contentRu')}
          label={t('replies.russian')}
          size="md"
          rows={5}
          error={fieldErrorText(errors.contentRu)}
        />
        <Button type="submit" size="md" loading={saving.isRunning}>
          {t('replies.save')}
        </Button>
      </Stack>
    </form>
  );
}

function toFormValues(reply: CannedReply | undefined): CannedReplyBody {
  return { title: reply?.title ?? '', contentEn: reply?.contentEn ?? '', contentRu: reply?.contentRu ?? '' };
}

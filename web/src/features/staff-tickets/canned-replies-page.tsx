import type { CannedReply } from '@cellhop/contract/staff/canned-replies';
import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDate } from '../../format/format.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useSeen } from '../staff-parts/use-seen.ts';
import { CannedReplyDialog } from './canned-reply-dialog.tsx';
import { useCannedReplies, useDeleteCannedReply } from './canned-replies-api.ts';

export function CannedRepliesPage() {
  const { t } = useTranslation(['staffSupport', 'staff']);
  const replies = useCannedReplies();
  const canEdit = usePermission('TICKETS_EDIT');
  const [isAdding, setAdding] = useState(false);
  const [edited, deleted] = [useSeen<CannedReply>(), useSeen<CannedReply>()];
  const deletion = useDeleteCannedReply();
  useDocumentTitle(t('replies.title'));

  async function confirmDeletion(): Promise<void> {
    if (deleted.row !== undefined) await deletion.run(deleted.row);
    deleted.close();
  }

  return (
    <>
      <Breadcrumbs
        items={[{ label: t('staff:titles.tickets'), to: '/admin/tickets' }, { label: t('replies.title') }]}
      />
      {canEdit && (
        <Button mb="md" leftSection={<IconPlus size={18} aria-hidden="true" />} onClick={() => setAdding(true)}>
          {t('replies.add')}
        </Button>
      )}
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
  const { t } = useTranslation('staffSupport');
  const columns: Column<CannedReply>[] = [
    { key: 'title', header: t('replies.name'), place: 'heading', render: ({ title }) => title },
    { key: 'contentEn', header: t('replies.english'), render: ({ contentEn }) => <Excerpt text={contentEn} /> },
    { key: 'contentRu', header: t('replies.russian'), render: ({ contentRu }) => <Excerpt text={contentRu} /> },
    {
      key: 'updatedAt',
      header: t('replies.updatedAt'),
      render: ({ updatedAt }) => <time dateTime={updatedAt}>{formatDate(updatedAt)}</time>,
    },
  ];
  if (onEdit !== undefined && onDelete !== undefined)
    columns.push({
      key: 'action',
      header: t('replies.actions'),
      place: 'action',
      isLast: true,
      render: (reply) => (
        <Group gap="xs" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="light"
            aria-label={t('replies.editOf', { title: reply.title })}
            onClick={() => onEdit(reply)}
          >
            {t('replies.edit')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('replies.deleteOf', { title: reply.title })}
            onClick={() => onDelete(reply)}
          >
            {t('replies.delete')}
          </Button>
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

import type { AccountRelation } from '@cellhop/contract/staff/lists.values';
import type { ListedUser, RelatedUser } from '@cellhop/contract/staff/users';
import { Button, VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { timeColumn } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { destructive } from '../../ui/destructive.ts';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { SelectionBar, type RowSelection } from '../staff-parts/row-selection.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { useRelatedUsers } from './api.ts';
import { BlockUsersDialog } from './block-users-dialog.tsx';
import { useChosenUsers } from './chosen-users.ts';
import { useUserColumns } from './user-columns.tsx';
import classes from './user-page.module.css';

/** The tables, the strongest reasons first. */
const kinds = {
  samePerson: ['SAME_PERSON'],
  inCommon: ['SAME_PAYER', 'SAME_CLIENT'],
  network: ['SAME_NETWORK_AND_DEVICE', 'SAME_NETWORK'],
} as const satisfies Record<string, readonly AccountRelation[]>;
type Kind = keyof typeof kinds;

const isOf =
  (kind: Kind) =>
  ({ relation }: RelatedUser): boolean =>
    (kinds[kind] as readonly AccountRelation[]).includes(relation);
const isSamePerson = isOf('samePerson');

/** Other accounts that may belong to the person. Only those with the same address are chosen from the start: a network proves nothing. */
export function RelatedUsers({ userId }: { userId: string }) {
  const { t } = useTranslation('staffUsers');
  const { rows, isTruncated, failure } = useRelatedUsers(userId);
  const canEdit = usePermission('USERS_EDIT');
  const selection = useChosenUsers(rows, isSamePerson);
  const blocking = useRowSnapshot<readonly ListedUser[]>();
  if (failure !== undefined) return <LoadFailure text={t('related.failed')} {...failure} />;
  if (rows?.length === 0) return <EmptyList text={t('related.empty')} />;
  const shown = canEdit ? selection : undefined;
  return (
    <>
      {(Object.keys(kinds) as Kind[]).map((kind) => (
        <RelatedTable key={kind} kind={kind} users={rows?.filter(isOf(kind))} selection={shown} />
      ))}
      {isTruncated && <p className={classes['muted']}>{t('related.more')}</p>}
      {canEdit && (
        // All of a network are rarely chosen at once.
        <SelectionBar selection={{ ...selection, total: selection.chosen.length }}>
          <Button {...destructive.opens} onClick={() => blocking.open(selection.chosen)}>
            {t('blockSelected.action')}
          </Button>
        </SelectionBar>
      )}
      <BlockUsersDialog snapshot={blocking} onBlocked={selection.clear} />
    </>
  );
}

interface RelatedTableProps {
  kind: Kind;
  users: readonly RelatedUser[] | undefined;
  /** Undefined if the member of staff may change no users. */
  selection: RowSelection<RelatedUser> | undefined;
}

function RelatedTable({ kind, users, selection }: RelatedTableProps) {
  const { t } = useTranslation('staffUsers');
  const shared = useUserColumns(users);
  if (users?.length === 0) return null;
  const columns: Column<RelatedUser>[] = [
    // Two tables share the selection, so neither can choose all.
    ...(selection === undefined ? [] : [{ ...selection.column, renderHeader: () => <ChoiceHeader /> }]),
    {
      key: 'email',
      width: 17,
      header: t('fields.email'),
      place: 'heading',
      render: (user) => <UserLink user={user} />,
    },
    ...shared,
    {
      key: 'relation',
      width: 9,
      header: t('related.relation'),
      place: 'line',
      render: ({ relation }) => t(`related.relations.${relation}`),
    },
    { ...timeColumn('createdAt', t('fields.createdAt')), width: 8, place: 'line' },
  ];
  return (
    <section className={classes['section']}>
      <h2>{t(`related.${kind}`)}</h2>
      <p className={classes['muted']}>{t(`related.${kind}Hint`)}</p>
      <DataTable label={t(`related.${kind}`)} columns={columns} rows={users} rowKey={({ id }) => id} />
    </section>
  );
}

function ChoiceHeader() {
  const { t } = useTranslation('staff');
  return <VisuallyHidden>{t('selection.label')}</VisuallyHidden>;
}

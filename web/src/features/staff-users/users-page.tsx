import type { ListedUser } from '@cellhop/contract/staff/users';
import { userSorts, EMAIL_PART_LENGTH_MIN } from '@cellhop/contract/staff/lists.values';
import { Button, Select, TextInput, VisuallyHidden } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { timeColumn } from '../../ui/columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { destructive } from '../../ui/destructive.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { toTimeOrder } from '../staff-parts/continuation.ts';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { ExportButton } from '../staff-parts/export-button.tsx';
import { DayRange, FilterPanel } from '../staff-parts/filter-panel.tsx';
import { type RowSelection, SelectionBar } from '../staff-parts/row-selection.tsx';
import { SavedFilters } from '../staff-parts/saved-filters.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { UserTabs } from '../staff-parts/user-tabs.tsx';
import { useUser, useUsers, useRoles } from './api.ts';
import { BlockUsersDialog } from './block-users-dialog.tsx';
import { useChosenUsers } from './chosen-users.ts';
import { staffUsersScreen, type StaffUsersSearch, staffUsersSearch, toExportQuery, userStatuses } from './screen.ts';
import { useUserColumns } from './user-columns.tsx';
import classes from './users-page.module.css';

export function UsersPage() {
  const [search, change] = useScreenSearch(staffUsersScreen);
  const changeList = (changed: StaffUsersSearch) => change(changed, { replace: true, resetScroll: false });
  const { t } = useTranslation('staffUsers');
  const users = useUsers(search);
  const roles = useRoles();
  const page = search.page ?? 1;
  const canEdit = usePermission('USERS_EDIT');
  const selection = useChosenUsers(users.rows);
  const blocking = useRowSnapshot<readonly ListedUser[]>();
  return (
    <>
      {search.referralId !== undefined && <ReferralsNotice referrerId={search.referralId} />}
      <UsersFilter
        search={search}
        roleNames={roles.rows?.map(({ name }) => name)}
        onChange={(chosen) => changeList(staffUsersSearch({ ...chosen }))}
      />
      <SavedFilters list="users" filter={toFilter(search)} onApply={(saved) => changeList(staffUsersSearch(saved))} />
      <ContinuedList
        list={users}
        page={page}
        onPage={(chosen) => change({ page: chosen })}
        moments={search}
        onMoments={(moments) => changeList({ ...moments, page: undefined })}
        order={toTimeOrder(search.sort ?? userSorts[0])}
        failureText={t('list.failed')}
        empty={<EmptyList text={t('list.empty')} />}
      >
        {(rows) => (
          <div className={classes['list']}>
            <UsersTable
              users={rows}
              selection={canEdit ? selection : undefined}
              sort={search.sort}
              onSort={(sort) => changeList({ sort: oneOf(sort, userSorts), page: undefined })}
            />
          </div>
        )}
      </ContinuedList>
      <SelectionBar selection={selection}>
        <Button {...destructive.opens} onClick={() => blocking.open(selection.chosen)}>
          {t('blockSelected.action')}
        </Button>
      </SelectionBar>
      <BlockUsersDialog snapshot={blocking} onBlocked={selection.clear} />
    </>
  );
}

/** What a saved filter keeps. */
function toFilter({ referralId, email, status, role, confirmed, from, to }: StaffUsersSearch) {
  return { referralId, email, status, role, confirmed, from, to };
}

function ReferralsNotice({ referrerId }: { referrerId: string }) {
  const { t } = useTranslation('staffUsers');
  const referrer = useUser(referrerId).response?.data;
  return (
    <>
      <p className={classes['notice']}>
        {t('list.referralsOf')} {referrer !== undefined && <UserLink user={referrer} />}{' '}
        <Link to="." search={{}}>
          {t('list.all')}
        </Link>
      </p>
      <UserTabs userId={referrerId} current="referrals" />
    </>
  );
}

interface UsersFilterProps {
  search: StaffUsersSearch;
  /** Undefined while they load. */
  roleNames: readonly string[] | undefined;
  onChange: (search: StaffUsersSearch) => void;
}

/** Applied immediately and kept in the URL. */
function UsersFilter({ search, roleNames, onChange }: UsersFilterProps) {
  const { t } = useTranslation('staffUsers');
  const { email, status, role, confirmed, from, to, referralId, sort } = search;
  const change = (changed: object) => onChange(staffUsersSearch({ ...search, page: 1, ...changed }));
  return (
    <FilterPanel
      filter={{ email, status, role, confirmed, from, to }}
      onReset={() => onChange({ referralId, sort })}
      actions={<ExportButton endpoint="GET /v1/users/admin/export" query={toExportQuery(search)} />}
    >
      <EmailField value={email ?? ''} onChange={(email) => change({ email })} />
      <Select
        label={t('fields.status')}
        placeholder={t('filter.all')}
        data={userStatuses.map((value) => ({ value, label: t(`statuses.${value}`) }))}
        value={status ?? null}
        onChange={(value) => change({ status: value })}
        clearable
      />
      <Select
        label={t('fields.role')}
        placeholder={t('filter.all')}
        data={[...new Set([...(roleNames ?? []), ...(role === undefined ? [] : [role])])]}
        value={role ?? null}
        onChange={(value) => change({ role: value })}
        clearable
        searchable
      />
      <Select
        label={t('filter.confirmation')}
        placeholder={t('filter.all')}
        data={[
          { value: 'true', label: t('email.confirmed') },
          { value: 'false', label: t('email.unconfirmed') },
        ]}
        value={confirmed ?? null}
        onChange={(value) => change({ confirmed: value })}
        clearable
      />
      <DayRange days={search} onChange={change} />
    </FilterPanel>
  );
}

interface EmailFieldProps {
  value: string;
  onChange: (email: string) => void;
}

/** Short texts stay in the field: they are not searched for. */
function EmailField({ value, onChange }: EmailFieldProps) {
  const { t } = useTranslation('staffUsers');
  const [text, setText] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  if (lastValue !== value) {
    setLastValue(value);
    // Changed by the back button or a reset.
    if (value !== text.trim() && (value !== '' || text.trim().length >= EMAIL_PART_LENGTH_MIN)) setText(value);
  }
  return (
    <TextInput
      type="search"
      label={t('fields.email')}
      placeholder={t('filter.emailHint', { value: EMAIL_PART_LENGTH_MIN })}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        const email = currentTarget.value.trim();
        onChange(email.length >= EMAIL_PART_LENGTH_MIN ? email : '');
      }}
    />
  );
}

interface UsersTableProps {
  users: readonly ListedUser[] | undefined;
  /** Undefined if the member of staff may change no users. */
  selection: RowSelection<ListedUser> | undefined;
  sort: string | undefined;
  onSort: (sort: string) => void;
}

function UsersTable({ users, selection, sort = userSorts[0], onSort }: UsersTableProps) {
  const { t } = useTranslation(['staffUsers', 'referralSystem']);
  const shared = useUserColumns(users);
  const columns: Column<ListedUser>[] = [
    ...(selection === undefined ? [] : [selection.column]),
    {
      key: 'email',
      width: 15.5,
      header: t('fields.email'),
      place: 'heading',
      firstOrder: 'ascending',
      render: (user) => <EmailLink user={user} />,
    },
    ...shared,
    {
      key: 'referralLevel',
      place: 'none',
      width: 6.5,
      header: t('fields.referralLevel'),
      render: ({ referralLevel }) => t(`referralSystem:names.${referralLevel}`),
    },
    { key: 'role', place: 'line', width: 7, header: t('fields.role'), render: ({ role }) => role.name },
    { ...timeColumn('createdAt', t('fields.createdAt')), width: 9.8, place: 'line', firstOrder: 'descending' },
  ];
  return (
    <DataTable
      label={t('list.label')}
      columns={columns}
      rows={users}
      rowKey={({ id }) => id}
      sort={sort}
      onSort={onSort}
    />
  );
}

/** The link covers the whole row. */
function EmailLink({ user: { id, email, isConfirmedEmail } }: { user: ListedUser }) {
  const { t } = useTranslation('staffUsers');
  const Icon = isConfirmedEmail ? IconCircleCheck : IconCircleDashed;
  return (
    <Link
      to="/admin/users/$userId"
      params={{ userId: id }}
      className={classes['email']}
      data-confirmed={isConfirmedEmail}
    >
      <Icon size={16} stroke={1.8} aria-hidden="true" className={classes['icon']} />
      {email}
      <VisuallyHidden>, {t(isConfirmedEmail ? 'email.confirmed' : 'email.unconfirmed')}</VisuallyHidden>
    </Link>
  );
}

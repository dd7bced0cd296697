import type { Role } from '@cellhop/contract/staff/roles';
import { ROLE_USERS_COUNTED_MAX } from '@cellhop/contract/limits';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../format/format.ts';
import { readLanguage } from '../../i18n/languages.ts';
import { useProfile } from '../../session/profile.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CreateButton } from '../../ui/create-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { RowButton } from '../../ui/columns.tsx';
import { ListHead } from '../staff-parts/list-head.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { useDeleteRole, useRoles } from './api.ts';
import { ChangeRoleDialog, CreateRoleDialog } from './role-dialogs.tsx';
import classes from './roles-page.module.css';
import { staffRolesScreen } from './screen.ts';

export function RolesPage() {
  const { t } = useTranslation('staffUsers');
  const canRead = usePermission('USERS_READ');
  const roles = useRoles(canRead);
  const ownRole = useProfile()?.role.name;
  const [isCreating, setCreating] = useState(false);
  const [changing, deleting] = [useRowSnapshot<Role>(), useRowSnapshot<Role>()];
  const deletion = useDeleteRole();
  // Roles are part of the screen of users.
  if (!canRead) return <EmptyList text={t('roles.needsUsers')} />;
  if (roles.failure !== undefined) return <LoadFailure text={t('roles.failed')} {...roles.failure} />;

  async function confirmDeletion(): Promise<void> {
    if (deleting.row !== undefined) await deletion.run(deleting.row);
    deleting.close();
  }

  return (
    <>
      <ListHead actions={<CreateButton text={t('roles.create')} onClick={() => setCreating(true)} />}>
        <p className={classes['text']}>{t('roles.text')}</p>
      </ListHead>
      <RolesTable roles={roles.rows} ownRole={ownRole} onChange={changing.open} onDelete={deleting.open} />
      <CreateRoleDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <ChangeRoleDialog snapshot={changing} />
      <ConfirmDialog
        isOpen={deleting.isOpen}
        title={t('roles.deleteTitle', { name: deleting.shown?.name ?? '' })}
        text={t('roles.deleteText')}
        action={t('roles.delete')}
        isDangerous
        isWorking={deletion.isRunning}
        onConfirm={confirmDeletion}
        onClose={deleting.close}
      />
    </>
  );
}

interface RolesTableProps {
  roles: readonly Role[] | undefined;
  ownRole: string | undefined;
  onChange: (role: Role) => void;
  onDelete: (role: Role) => void;
}

function RolesTable({ roles, ownRole, onChange, onDelete }: RolesTableProps) {
  const { t, i18n } = useTranslation('staffUsers');
  const held = useProfile()?.role.permissions ?? [];
  /** The same rules as those of the API. */
  const canChange = ({ name, isFixed, permissions }: Role) =>
    !isFixed && name !== ownRole && permissions.every((permission) => held.includes(permission));
  const columns: Column<Role>[] = [
    { key: 'name', width: 6.4, header: t('fields.role'), place: 'heading', render: ({ name }) => name },
    {
      key: 'users',
      width: 6.5,
      header: t('roles.users'),
      place: 'fact',
      isNumeric: true,
      render: ({ name, usersCount }) => (
        <Link to="/admin/users" search={{ role: name }}>
          {usersCount === ROLE_USERS_COUNTED_MAX
            ? t('roles.atLeast', { value: formatCount(usersCount) })
            : formatCount(usersCount)}
        </Link>
      ),
    },
    {
      key: 'permissions',
      width: 21.4,
      header: t('roles.permissions'),
      place: 'fact',
      renderInCard: ({ name, permissions }) =>
        name === 'ADMIN' ? t('roles.all') : permissions.length === 0 ? t('none') : formatCount(permissions.length),
      render: ({ name, permissions }) => (
        <span className={classes['permissions']}>
          {name === 'ADMIN' ? t('roles.all') : permissions.length === 0 ? t('none') : permissions.join(', ')}
        </span>
      ),
    },
    {
      key: 'action',
      width: 12.7,
      header: t('roles.actions'),
      place: 'action',
      render: (role) =>
        canChange(role) && (
          <span className={classes['buttons']}>
            <RowButton
              text={t('roles.change')}
              label={t('roles.changeOf', { name: role.name })}
              onClick={() => onChange(role)}
            />
            {role.usersCount === 0 && (
              <RowButton
                text={t('roles.delete')}
                label={t('roles.deleteOf', { name: role.name })}
                isDestructive
                onClick={() => onDelete(role)}
              />
            )}
          </span>
        ),
    },
  ];
  return (
    <DataTable
      label={staffRolesScreen.title[readLanguage(i18n)]}
      columns={columns}
      rows={roles}
      rowKey={({ name }) => name}
    />
  );
}

import type { Role } from '@cellhop/contract/staff/roles';
import { ROLE_USERS_COUNTED_MAX } from '@cellhop/contract/staff/roles.values';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatCount } from '../../format/format.ts';
import { useProfile } from '../../session/profile.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import classes from './roles-page.module.css';

interface RolesTableProps {
  roles: readonly Role[] | undefined;
  ownRole: string | undefined;
  onChange: (role: Role) => void;
  onDelete: (role: Role) => void;
}

export function RolesTable({ roles, ownRole, onChange, onDelete }: RolesTableProps) {
  const { t } = useTranslation(['staffUsers', 'staff']);
  const held = useProfile()?.role.permissions ?? [];
  /** The same rules as those of the API. */
  const canChange = ({ name, isFixed, permissions }: Role) =>
    !isFixed && name !== ownRole && permissions.every((permission) => held.includes(permission));
  const columns: Column<Role>[] = [
    { key: 'name', width: 6.4, header: t('fields.role'), place: 'heading', render: ({ name }) => name },
    {
      key: 'users',
      width: 6.5,
      header: t('staff:titles.users'),
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
      isLast: true,
      render: (role) =>
        canChange(role) && (
          <span className={classes['buttons']}>
            <Button
              size="compact-sm"
              variant="light"
              aria-label={t('roles.changeOf', { name: role.name })}
              onClick={() => onChange(role)}
            >
              {t('roles.change')}
            </Button>
            {role.usersCount === 0 && (
              <Button
                size="compact-sm"
                variant="light"
                color="red"
                aria-label={t('roles.deleteOf', { name: role.name })}
                onClick={() => onDelete(role)}
              >
                {t('roles.delete')}
              </Button>
            )}
          </span>
        ),
    },
  ];
  return <DataTable label={t('staff:titles.roles')} columns={columns} rows={roles} rowKey={({ name }) => name} />;
}

import type { Role } from '@cellhop/contract/staff/roles';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useProfile } from '../../session/profile.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useSeen } from '../staff-parts/use-seen.ts';
import { ChangeRoleDialog, CreateRoleDialog } from './role-dialogs.tsx';
import { useDeleteRole, useRoles } from './roles-api.ts';
import { RolesTable } from './roles-table.tsx';
import classes from './roles-page.module.css';

export function RolesPage() {
  const { t } = useTranslation('staffUsers');
  const canRead = usePermission('USERS_READ');
  const roles = useRoles(canRead);
  const ownRole = useProfile()?.role.name;
  const [isCreating, setCreating] = useState(false);
  const [changing, deleting] = [useSeen<Role>(), useSeen<Role>()];
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
      <div className={classes['bar']}>
        <p>{t('roles.text')}</p>
        <Button onClick={() => setCreating(true)}>{t('roles.create')}</Button>
      </div>
      <RolesTable roles={roles.rows} ownRole={ownRole} onChange={changing.open} onDelete={deleting.open} />
      <CreateRoleDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <ChangeRoleDialog seen={changing} />
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

import { ROLE_NAME_LENGTH_MAX } from '@cellhop/contract/limits';
import { isPermission, type Permission, permissions } from '@cellhop/contract/permissions';
import type { Role } from '@cellhop/contract/staff/roles';
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useProfile } from '../../session/profile.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { isReason, ReasonField } from '../staff-parts/reason-dialog.tsx';
import type { RowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { useChangeRole, useCreateRole } from './api.ts';
import { isRoleName, toRoleName } from './role-name.ts';
import classes from './roles-page.module.css';

interface CreateRoleDialogProps {
  isOpen: boolean;
  onClose: () => void;
}

export function CreateRoleDialog({ isOpen, onClose }: CreateRoleDialogProps) {
  const { t } = useTranslation('staffUsers');
  return (
    <Dialog isOpen={isOpen} title={t('roles.create')} size="lg" onClose={onClose}>
      {isOpen && <CreateRoleForm onClose={onClose} />}
    </Dialog>
  );
}

function CreateRoleForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('staffUsers');
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Permission[]>([]);
  const creation = useCreateRole();

  async function create(): Promise<void> {
    if ((await creation.run({ name, permissions: chosen })) !== undefined) onClose();
  }

  return (
    <RoleForm
      action={t('roles.create')}
      isComplete={isRoleName(name)}
      isWorking={creation.isRunning}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <TextInput
        label={t('roles.name')}
        description={t('roles.nameHint')}
        value={name}
        maxLength={ROLE_NAME_LENGTH_MAX}
        required
        data-autofocus
        onChange={({ currentTarget }) => setName(toRoleName(currentTarget.value))}
      />
      <PermissionChoices chosen={chosen} onChange={setChosen} />
    </RoleForm>
  );
}

export function ChangeRoleDialog({ snapshot: { row, shown, isOpen, close } }: { snapshot: RowSnapshot<Role> }) {
  const { t } = useTranslation('staffUsers');
  return (
    <Dialog isOpen={isOpen} title={t('roles.changeOf', { name: shown?.name ?? '' })} size="lg" onClose={close}>
      {row !== undefined && <ChangeRoleForm role={row} onClose={close} />}
    </Dialog>
  );
}

function ChangeRoleForm({ role, onClose }: { role: Role; onClose: () => void }) {
  const { t } = useTranslation('staffUsers');
  const [chosen, setChosen] = useState<Permission[]>(role.permissions);
  const [reason, setReason] = useState('');
  const change = useChangeRole();

  async function save(): Promise<void> {
    await change.run({ role, permissions: chosen, reason: reason.trim() });
    // Also after a failure: the list shows the current permissions.
    onClose();
  }

  return (
    <RoleForm
      action={t('roles.save')}
      isComplete={isReason(reason)}
      isWorking={change.isRunning}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <PermissionChoices chosen={chosen} onChange={setChosen} />
      <ReasonField reason={reason} onChange={setReason} />
    </RoleForm>
  );
}

interface RoleFormProps {
  action: string;
  isComplete: boolean;
  isWorking: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

function RoleForm({ action, isComplete, isWorking, onSubmit, onClose, children }: RoleFormProps) {
  const { t } = useTranslation('common');
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack>
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" disabled={!isComplete} loading={isWorking}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface PermissionChoicesProps {
  chosen: readonly Permission[];
  onChange: (chosen: Permission[]) => void;
}

/** Permissions of a newer API, deployed while this page is open: the role keeps them. */
const isUnknown = (permission: Permission) => !isPermission(permission);

/** Permissions that the member of staff lacks cannot be chosen. */
function PermissionChoices({ chosen, onChange }: PermissionChoicesProps) {
  const { t } = useTranslation('staffUsers');
  const held = useProfile()?.role.permissions ?? [];
  return (
    <Checkbox.Group
      label={t('roles.permissions')}
      description={t('roles.permissionsHint')}
      value={[...chosen]}
      onChange={(values) =>
        onChange([...permissions.filter((permission) => values.includes(permission)), ...chosen.filter(isUnknown)])
      }
    >
      <div className={classes['choices']}>
        {permissions.map((permission) => (
          <Checkbox key={permission} value={permission} label={permission} disabled={!held.includes(permission)} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

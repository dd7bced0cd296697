import type { StaffUser } from '@cellhop/contract/staff/users';
import { Button, Stack, Select } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { useAction } from '../../data/use-action.ts';
import { useProfile } from '../../session/profile.ts';
import { ReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useSeen } from '../staff-parts/use-seen.ts';
import { useChangeStatus, useChangeUserRole, useDeleteUser, useRoles } from './api.ts';
import { openView } from './open-view.ts';
import classes from './user-page.module.css';

/** What staff may do with an account that is not deleted. Nobody changes their own role. */
export function UserActions({ user }: { user: StaffUser }) {
  const isSelf = useProfile()?.id === user.id;
  return (
    <div className={classes['actions']}>
      <StatusAction user={user} />
      {!isSelf && <RoleAction user={user} />}
      <DeleteAction user={user} />
    </div>
  );
}

function StatusAction({ user }: { user: StaffUser }) {
  const change = useChangeStatus();
  const isActive = user.status === 'ACTIVE';
  return (
    <Action
      name={isActive ? 'block' : 'unblock'}
      user={user}
      isDangerous={isActive}
      isWorking={change.isRunning}
      onConfirm={(reason, seen) =>
        change.run({ user: seen, status: seen.status === 'ACTIVE' ? 'BLOCKED' : 'ACTIVE', reason })
      }
    />
  );
}

function RoleAction({ user }: { user: StaffUser }) {
  const [role, setRole] = useState<string | null>(null);
  const change = useChangeUserRole();
  return (
    <Action
      name="changeRole"
      user={user}
      isIncomplete={role === null}
      isWorking={change.isRunning}
      onConfirm={(reason, seen) => change.run({ user: seen, role: role ?? seen.role.name, reason })}
      onEnd={() => setRole(null)}
    >
      <RoleSelect current={user.role.name} value={role} onChange={setRole} />
    </Action>
  );
}

function DeleteAction({ user }: { user: StaffUser }) {
  const deletion = useDeleteUser();
  return (
    <Action
      name="delete"
      user={user}
      isDangerous
      isWorking={deletion.isRunning}
      onConfirm={(reason, seen) => deletion.run({ user: seen, reason })}
    />
  );
}

interface ActionProps {
  name: 'block' | 'unblock' | 'changeRole' | 'delete';
  user: StaffUser;
  isDangerous?: boolean;
  isIncomplete?: boolean;
  isWorking: boolean;
  /** @param seen the user as shown when the dialog opened */
  onConfirm: (reason: string, seen: StaffUser) => Promise<unknown>;
  /** The dialog has closed. */
  onEnd?: () => void;
  /** Fields of the dialog above the reason. */
  children?: ReactNode;
}

/** A button, and the dialog that asks for the reason. It closes after a failure too: the page shows the current values. */
function Action({ name, user, isDangerous = false, onConfirm, onEnd, children, ...dialog }: ActionProps) {
  const { t } = useTranslation('staffUsers');
  const seen = useSeen<StaffUser>();

  function close(): void {
    seen.close();
    onEnd?.();
  }

  async function confirm(reason: string): Promise<void> {
    if (seen.row === undefined) return;
    await onConfirm(reason, seen.row);
    close();
  }

  return (
    <>
      <Button variant="default" onClick={() => seen.open(user)}>
        {t(`${name}.action`)}
      </Button>
      <ReasonDialog
        {...dialog}
        isOpen={seen.isOpen}
        title={t(`${name}.title`, { email: user.email })}
        text={
          <Stack>
            <p>{t(`${name}.text`)}</p>
            {children}
          </Stack>
        }
        action={t(`${name}.action`)}
        isDangerous={isDangerous}
        onConfirm={(reason = '') => void confirm(reason)}
        onClose={close}
      />
    </>
  );
}

interface RoleSelectProps {
  /** The role that the user has. */
  current: string;
  value: string | null;
  onChange: (role: string | null) => void;
}

/** Offers the roles that the member of staff may assign: those without a permission that they lack. */
function RoleSelect({ current, value, onChange }: RoleSelectProps) {
  const { t } = useTranslation('staffUsers');
  const { rows = [] } = useRoles();
  const held = useProfile()?.role.permissions ?? [];
  const offered = rows.filter(
    ({ name, permissions }) => name !== current && permissions.every((permission) => held.includes(permission)),
  );
  return (
    <Select
      label={t('changeRole.label')}
      description={t('changeRole.hint')}
      data={offered.map(({ name }) => name)}
      value={value}
      onChange={onChange}
      required
    />
  );
}

interface ViewAsButtonProps {
  user: { id: string; email: string };
}

/** Lets staff with the permission see the app as a user. */
export function ViewAsButton({ user: { id, email } }: ViewAsButtonProps) {
  const { t } = useTranslation('staff');
  const canView = usePermission('USERS_VIEW_AS');
  const [isAsking, setAsking] = useState(false);
  const start = useAction({
    call: (reason: string) => callForData('POST /v1/users/admin/{id}/views', { params: { id }, body: { reason } }),
    onSuccess: openView,
  });
  if (!canView) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconEye size={18} aria-hidden="true" />} onClick={() => setAsking(true)}>
        {t('viewAs.action')}
      </Button>
      <ReasonDialog
        isOpen={isAsking}
        title={t('viewAs.title', { email })}
        text={t('viewAs.text')}
        action={t('viewAs.action')}
        isWorking={start.isRunning}
        onConfirm={(reason) => void start.run(reason ?? '')}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

import type { StaffUser } from '@cellhop/contract/staff/users';
import { Button, Menu, Select, Stack } from '@mantine/core';
import { IconDots, IconEye } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { useAction } from '../../data/use-action.ts';
import { useProfile } from '../../session/profile.ts';
import { destructive } from '../../ui/destructive.ts';
import { ReasonDialog, RowReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { type RowSnapshot, useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { useChangeStatus, useChangeUserRole, useDeleteUser, useResetSecondFactor, useRoles } from './api.ts';
import { openView } from './open-view.ts';

/** What staff may do with an account that is not deleted. Nobody changes their own role. */
export function UserActions({ user }: { user: StaffUser }) {
  const { t } = useTranslation('staffUsers');
  const isSelf = useProfile()?.id === user.id;
  const isActive = user.status === 'ACTIVE';
  const status = useRowSnapshot<StaffUser>();
  const role = useRowSnapshot<StaffUser>();
  const reset = useRowSnapshot<StaffUser>();
  const deletion = useRowSnapshot<StaffUser>();
  return (
    <>
      <Button {...(isActive ? destructive.opens : { variant: 'default' })} onClick={() => status.open(user)}>
        {t(isActive ? 'block.action' : 'unblock.action')}
      </Button>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <Button variant="default" aria-label={t('user.more')}>
            <IconDots size={18} aria-hidden="true" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {!isSelf && <Menu.Item onClick={() => role.open(user)}>{t('changeRole.action')}</Menu.Item>}
          {user.hasSecondFactor && !user.secondFactorResetAt && (
            <Menu.Item onClick={() => reset.open(user)}>{t('resetSecondFactor.action')}</Menu.Item>
          )}
          <Menu.Item color={destructive.opens.color} onClick={() => deletion.open(user)}>
            {t('delete.action')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <StatusDialog snapshot={status} />
      <RoleDialog snapshot={role} />
      <SecondFactorDialog snapshot={reset} />
      <DeletionDialog snapshot={deletion} />
    </>
  );
}

interface DialogProps {
  /** The user as shown when the dialog opened. */
  snapshot: RowSnapshot<StaffUser>;
}

function StatusDialog({ snapshot }: DialogProps) {
  const change = useChangeStatus();
  const isActive = snapshot.shown?.status === 'ACTIVE';
  return (
    <ActionDialog
      name={isActive ? 'block' : 'unblock'}
      snapshot={snapshot}
      isDangerous={isActive}
      isWorking={change.isRunning}
      onConfirm={(user, reason) =>
        change.run({ user, status: user.status === 'ACTIVE' ? 'BLOCKED' : 'ACTIVE', reason })
      }
    />
  );
}

function RoleDialog({ snapshot }: DialogProps) {
  const [role, setRole] = useState<string | null>(null);
  const change = useChangeUserRole();
  return (
    <ActionDialog
      name="changeRole"
      snapshot={{
        ...snapshot,
        close: () => {
          snapshot.close();
          setRole(null);
        },
      }}
      isIncomplete={role === null}
      isWorking={change.isRunning}
      onConfirm={(user, reason) => change.run({ user, role: role ?? user.role.name, reason })}
    >
      <RoleSelect current={snapshot.shown?.role.name ?? ''} value={role} onChange={setRole} />
    </ActionDialog>
  );
}

function SecondFactorDialog({ snapshot }: DialogProps) {
  const reset = useResetSecondFactor();
  return (
    <ActionDialog
      name="resetSecondFactor"
      snapshot={snapshot}
      isDangerous
      isWorking={reset.isRunning}
      onConfirm={(user, reason) => reset.run({ user, reason })}
    />
  );
}

function DeletionDialog({ snapshot }: DialogProps) {
  const deletion = useDeleteUser();
  return (
    <ActionDialog
      name="delete"
      snapshot={snapshot}
      isDangerous
      isWorking={deletion.isRunning}
      onConfirm={(user, reason) => deletion.run({ user, reason })}
    />
  );
}

interface ActionDialogProps extends DialogProps {
  name: 'block' | 'unblock' | 'changeRole' | 'resetSecondFactor' | 'delete';
  isDangerous?: boolean;
  isIncomplete?: boolean;
  isWorking: boolean;
  onConfirm: (user: StaffUser, reason: string) => Promise<unknown>;
  /** Fields of the dialog above the reason. */
  children?: ReactNode;
}

/** Asks for the reason. It closes after a failure too: the page shows the current values. */
function ActionDialog({ name, snapshot, onConfirm, children, ...dialog }: ActionDialogProps) {
  const { t } = useTranslation('staffUsers');
  return (
    <RowReasonDialog
      {...dialog}
      snapshot={snapshot}
      title={t(`${name}.title`, { email: snapshot.shown?.email ?? '' })}
      text={
        <Stack>
          <p>{t(`${name}.text`)}</p>
          {children}
        </Stack>
      }
      action={t(`${name}.action`)}
      onConfirm={(user, reason = '') => onConfirm(user, reason)}
    />
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

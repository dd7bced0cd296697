import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useProfile } from '../../session/profile.ts';
import { useRoles } from './roles-api.ts';

interface RoleSelectProps {
  /** The role that the user has. */
  current: string;
  value: string | null;
  onChange: (role: string | null) => void;
}

/** Offers the roles that the member of staff may assign: those without a permission that they lack. */
export function RoleSelect({ current, value, onChange }: RoleSelectProps) {
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

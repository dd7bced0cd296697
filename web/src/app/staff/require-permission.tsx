import type { Permission } from '@cellhop/contract/permissions';
import type { AsyncRouteComponent } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { mayOpen } from '../../features/staff-parts/use-permission.ts';
import { useProfile } from '../../session/profile.ts';
import { EmptyList } from '../../ui/list-state.tsx';

/** Shows the screen to staff with the permission; others read what they lack. */
export function requirePermission(permission: Permission | readonly Permission[], Screen: AsyncRouteComponent<object>) {
  function StaffScreen() {
    const held = useProfile()?.role.permissions ?? [];
    return mayOpen(permission, held) ? <Screen /> : <Forbidden permission={[permission].flat().join(', ')} />;
  }
  return Object.assign(StaffScreen, Screen.preload && { preload: Screen.preload });
}

function Forbidden({ permission }: { permission: string }) {
  const { t } = useTranslation('staff');
  return (
    <EmptyList text={t('forbidden.title')}>
      <p>{t('forbidden.text', { permission })}</p>
    </EmptyList>
  );
}

import { PENDING_COUNTED_MAX } from '@cellhop/contract/limits';
import type { Permission } from '@cellhop/contract/permissions';
import { VisuallyHidden } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePendingCount } from '../../features/staff-approvals/api.ts';
import { staffApprovalsScreen } from '../../features/staff-approvals/screen.ts';
import { mayOpen } from '../../features/staff-parts/use-permission.ts';
import classes from '../layout/side-menu.module.css';
import { staffMenuScreens } from './staff-screens.ts';
import '../../i18n/staff-texts.ts';

/** A role with one of these alone has no menu group (product specification, section 2). */
const withoutGroup: ReadonlySet<Permission> = new Set([
  'FAQ_READ',
  'TRANSACTIONS_READ',
  'NOTIFICATIONS_READ',
  'MASS_NOTIFICATIONS_READ',
]);

/** The group of the admin area in the side menu: an item for each screen that the role may open. */
export function StaffMenu({ permissions }: { permissions: readonly Permission[] }) {
  const { t } = useTranslation('staff');
  const isInArea = useRouterState({ select: ({ location }) => location.pathname.startsWith('/admin') });
  const [isExpanded, setExpanded] = useState(isInArea);
  const listId = useId();
  const items = staffMenuScreens.filter((screen) =>
    mayOpen('permission' in screen ? screen.permission : undefined, permissions),
  );
  if (!permissions.some((permission) => !withoutGroup.has(permission) && isRead(permission))) return null;
  return (
    <li>
      <button
        type="button"
        className={classes['group']}
        aria-expanded={isExpanded}
        aria-controls={listId}
        onClick={() => setExpanded(!isExpanded)}
      >
        {t('menu.group')}
        {!isExpanded && items.some(({ path }) => path === staffApprovalsScreen.path) && <WaitingBadge />}
        <IconChevronDown size={16} stroke={1.6} aria-hidden="true" />
      </button>
      <ul id={listId} className={classes['items']} hidden={!isExpanded}>
        {items.map(({ path, title, Icon }) => (
          <li key={path}>
            <Link
              to={path}
              className={classes['item']}
              activeOptions={{ includeSearch: false, exact: path === '/admin' }}
            >
              <Icon size={20} stroke={1.6} aria-hidden="true" />
              {t(`menu.${title}`)}
              {path === staffApprovalsScreen.path && <WaitingBadge />}
            </Link>
          </li>
        ))}
      </ul>
    </li>
  );
}

/** The number of requests that wait for the member of staff. */
function WaitingBadge() {
  const { t } = useTranslation('staff');
  const count = usePendingCount();
  if (count === 0) return null;
  const number = count >= PENDING_COUNTED_MAX ? `${PENDING_COUNTED_MAX}+` : String(count);
  return (
    <span className={classes['badge']}>
      <span aria-hidden="true">{number}</span>
      <VisuallyHidden>{t('menu.waiting', { count, number })}</VisuallyHidden>
    </span>
  );
}

function isRead(permission: Permission): boolean {
  return permission.endsWith('_READ') || permission === 'ROLES_EDIT' || permission === 'USERS_VIEW_AS';
}

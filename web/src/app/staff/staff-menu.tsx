import { ATTENTION_COUNTED_MAX } from '@cellhop/contract/limits';
import type { Permission } from '@cellhop/contract/permissions';
import { VisuallyHidden } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAttention } from '../../features/staff-dashboard/api.ts';
import type { StaffScreen } from '../../features/staff-parts/staff-screen.ts';
import { mayOpen } from '../../features/staff-parts/use-permission.ts';
import { formatLimitedCount } from '../../format/format.ts';
import { readLanguage } from '../../i18n/languages.ts';
import classes from '../layout/side-menu.module.css';
import type { SlotProps } from '../layout/staff-slot.tsx';
import { staffMenuScreens } from './staff-screens.ts';
import '../../i18n/staff-texts.ts';

/** A role with one of these alone has no menu group (product specification, section 2). */
const withoutGroup: ReadonlySet<Permission> = new Set([
  'FAQ_READ',
  'TRANSACTIONS_READ',
  'NOTIFICATIONS_READ',
  'MASS_NOTIFICATIONS_READ',
]);

/**
 * The menu of staff: first the admin area, with an item for each screen that the role may open, and then the items of customers, which are
 * collapsed in the admin area.
 */
export function StaffMenu({ permissions, children }: SlotProps) {
  const { t } = useTranslation('staff');
  const isInArea = useRouterState({ select: ({ location }) => location.pathname.startsWith('/admin') });
  if (!permissions.some((permission) => !withoutGroup.has(permission) && isRead(permission))) return children;
  return (
    <>
      <AdminGroup permissions={permissions} />
      {/* Expanded again when its area is entered. */}
      <Group key={String(isInArea)} label={t('menu.customer')} isCollapsed={isInArea}>
        {children}
      </Group>
    </>
  );
}

function AdminGroup({ permissions }: { permissions: readonly Permission[] }) {
  const { t, i18n } = useTranslation('staff');
  const counts = useCounts();
  const items = staffMenuScreens.filter(({ permission }) => mayOpen(permission, permissions));
  const total = items.reduce((sum, { waiting }) => sum + (waiting === undefined ? 0 : counts[waiting]), 0);
  return (
    <Group label={t('menu.group')} badge={<Badge count={total} kind="all" />}>
      {items.map(({ path, title, menuItem = title, waiting, Icon }) => (
        <li key={path}>
          <Link
            to={path}
            className={classes['item']}
            activeOptions={{ includeSearch: false, exact: path === '/admin' }}
          >
            <Icon size={19} stroke={1.6} aria-hidden="true" />
            {menuItem[readLanguage(i18n)]}
            {waiting !== undefined && <Badge count={counts[waiting]} kind={waiting} />}
          </Link>
        </li>
      ))}
    </Group>
  );
}

type Waiting = NonNullable<StaffScreen['waiting']>;

function useCounts(): Record<Waiting, number> {
  const attention = useAttention();
  return {
    tickets: attention?.tickets?.waiting ?? 0,
    approvals: attention?.approvals.waiting ?? 0,
    invoices: attention?.heldPayments ?? 0,
    system: attention?.failedJobs ?? 0,
  };
}

interface GroupProps {
  label: string;
  isCollapsed?: boolean;
  /** Shown while it is collapsed. */
  badge?: ReactNode;
  children: ReactNode;
}

function Group({ label, isCollapsed = false, badge, children }: GroupProps) {
  const [isExpanded, setExpanded] = useState(!isCollapsed);
  const listId = useId();
  return (
    <li>
      <button
        type="button"
        className={classes['group']}
        aria-expanded={isExpanded}
        aria-controls={listId}
        onClick={() => setExpanded(!isExpanded)}
      >
        {label}
        {!isExpanded && badge}
        <IconChevronDown size={16} stroke={1.6} aria-hidden="true" />
      </button>
      <ul id={listId} className={classes['items']} data-compact hidden={!isExpanded}>
        {children}
      </ul>
    </li>
  );
}

/** The number of what waits, up to a limit. */
function Badge({ count, kind }: { count: number; kind: Waiting | 'all' }) {
  const { t } = useTranslation('staff');
  if (count === 0) return null;
  const number = formatLimitedCount(count, ATTENTION_COUNTED_MAX);
  return (
    <span className={classes['badge']}>
      <span aria-hidden="true">{number}</span>
      <VisuallyHidden>{t(`menu.waiting.${kind}`, { count, number })}</VisuallyHidden>
    </span>
  );
}

function isRead(permission: Permission): boolean {
  return permission.endsWith('_READ') || permission === 'ROLES_EDIT' || permission === 'USERS_VIEW_AS';
}

import { LISTED_ROWS_MAX } from '@cellhop/contract/limits';
import type { Permission } from '@cellhop/contract/permissions';
import type { UserCounts } from '@cellhop/contract/staff/users';
import { VisuallyHidden } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery, staffDependencies } from '../../data/query.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { formatLimitedCount } from '../../format/format.ts';
import { usePermission } from './use-permission.ts';
import { UserLink } from './user-link.tsx';
import classes from './user-tabs.module.css';

/** The screen of each tab: the user's page, one below it, or the list of all users, filtered. */
const pages = {
  overview: { permission: 'USERS_READ', path: '/admin/users/$userId' },
  related: { permission: 'USERS_READ', path: '/admin/users/$userId', search: { tab: 'related' } },
  connections: { permission: 'CONNECTIONS_READ', path: '/admin/connections', parameter: 'userId' },
  invoices: { permission: 'PAYMENTS_READ', path: '/admin/payment/invoices', parameter: 'userId' },
  transactions: { permission: 'TRANSACTIONS_READ', path: '/admin/users/$userId/transactions' },
  tickets: { permission: 'TICKETS_READ', path: '/admin/tickets', parameter: 'userId' },
  referrals: { permission: 'USERS_READ', path: '/admin/users', parameter: 'referralId' },
  promoCodes: { permission: 'PROMO_CODES_READ', path: '/admin/referral-system/codes', parameter: 'userId' },
  notifications: { permission: 'NOTIFICATIONS_READ', path: '/admin/users/$userId/notifications' },
  mails: { permission: 'USERS_READ', path: '/admin/users/$userId', search: { tab: 'mails' } },
} as const satisfies Record<string, UserPlace>;

interface UserPlace {
  permission: Permission;
  path: string;
  /** Names the user in the URL of a list of all users. */
  parameter?: string;
  search?: Record<string, string>;
}

export type UserTab = keyof typeof pages;

/** The pages and lists of one user, with the number of their rows. */
export function UserTabs({ userId, current }: { userId: string; current: UserTab }) {
  const { t } = useTranslation('staff');
  const query = apiQuery(
    'GET /v1/users/admin/{id}/counts',
    { params: { id: userId } },
    staffDependencies('staff-users', 'staff-connections', 'staff-invoices', 'staff-tickets', 'staff-transactions'),
  );
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>(`[data-tab="${current}"]`);
    // On a phone it may be outside of the window.
    if (nav.current && link) nav.current.scrollLeft = link.offsetLeft - nav.current.offsetLeft - 24;
  }, [current]);
  const counts = useApiQuery(query, { isEnabled: usePermission('USERS_READ') }).response?.data;
  return (
    <nav ref={nav} className={classes['tabs']} aria-label={t('userTabs.label')}>
      <ul>
        {(Object.keys(pages) as UserTab[]).map((tab) => (
          <Tab key={tab} tab={tab} userId={userId} isCurrent={tab === current} counts={counts} />
        ))}
      </ul>
    </nav>
  );
}

interface TabProps {
  tab: UserTab;
  userId: string;
  isCurrent: boolean;
  /** Undefined while they load. */
  counts: UserCounts | undefined;
}

function Tab({ tab, userId, isCurrent, counts }: TabProps) {
  const { t } = useTranslation('staff');
  const { permission, path, parameter, search }: UserPlace = pages[tab];
  if (!usePermission(permission)) return null;
  const count = tab === 'overview' ? null : counts?.[tab];
  // A union of paths, each with its own parameters, has no common type.
  const target = {
    to: path,
    params: { userId },
    search: parameter === undefined ? (search ?? {}) : { [parameter]: userId },
  } as unknown as LinkProps;
  return (
    <li>
      <Link
        {...target}
        className={classes['tab']}
        // Otherwise the router takes several tabs for the current one.
        activeOptions={{ exact: true }}
        aria-current={isCurrent ? 'page' : undefined}
        data-tab={tab}
        data-current={isCurrent}
      >
        {t(`userTabs.${tab}`)}
        {count !== null && (
          <>
            <span className={classes['count']} aria-hidden="true" data-empty={count === 0}>
              {count === undefined ? '·' : countText(count)}
            </span>
            {count !== undefined && <VisuallyHidden>: {countText(count)}</VisuallyHidden>}
          </>
        )}
      </Link>
    </li>
  );
}

function countText(count: number): string {
  return formatLimitedCount(count, LISTED_ROWS_MAX);
}

interface OfUserNoticeProps {
  userId: string | undefined;
  /** The list among those of the user. */
  current?: UserTab;
}

/** Says that a list shows only one user, with the other lists of that user and a link to the list of all users. */
export function OfUserNotice({ userId, current }: OfUserNoticeProps) {
  const { t } = useTranslation('staff');
  const canReadUsers = usePermission('USERS_READ');
  const query = apiQuery(
    'GET /v1/users/admin/{id}',
    { params: { id: userId ?? '' } },
    staffDependencies('staff-users'),
  );
  const user = useApiQuery(query, { isEnabled: canReadUsers && userId !== undefined }).response?.data;
  if (userId === undefined) return null;
  return (
    <>
      <p className={classes['notice']}>
        {t('ofUser')} {user !== undefined && <UserLink user={user} />}{' '}
        <Link to="." search={{}}>
          {t('allUsers')}
        </Link>
      </p>
      {canReadUsers && current !== undefined && <UserTabs userId={userId} current={current} />}
    </>
  );
}

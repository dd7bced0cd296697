import type { Permission } from '@cellhop/contract/permissions';
import { Button } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePermission } from '../staff-parts/use-permission.ts';
import classes from './user-page.module.css';

/** The lists that can be filtered by a user. */
const lists = [
  { key: 'referrals', permission: 'USERS_READ', path: '/admin/users', parameter: 'referralId' },
  { key: 'connections', permission: 'CONNECTIONS_READ', path: '/admin/connections', parameter: 'userId' },
  { key: 'invoices', permission: 'PAYMENTS_READ', path: '/admin/payment/invoices', parameter: 'userId' },
  { key: 'tickets', permission: 'TICKETS_READ', path: '/admin/tickets', parameter: 'userId' },
  { key: 'promoCodes', permission: 'PROMO_CODES_READ', path: '/admin/referral-system/codes', parameter: 'userId' },
] as const satisfies readonly { key: string; permission: Permission; path: string; parameter: string }[];

/** Pages below the one of the user. */
const pages = [
  { key: 'transactions', permission: 'TRANSACTIONS_READ', path: '/admin/users/$userId/transactions' },
  { key: 'notifications', permission: 'NOTIFICATIONS_READ', path: '/admin/users/$userId/notifications' },
] as const satisfies readonly { key: string; permission: Permission; path: string }[];

export function UserLists({ userId }: { userId: string }) {
  const { t } = useTranslation('staffUsers');
  return (
    <nav className={classes['lists']} aria-label={t('lists.label')}>
      {lists.map((list) => (
        <ListButton key={list.key} list={list} userId={userId} />
      ))}
      {pages.map((page) => (
        <PageButton key={page.key} page={page} userId={userId} />
      ))}
    </nav>
  );
}

function ListButton({ list, userId }: { list: (typeof lists)[number]; userId: string }) {
  const { t } = useTranslation('staffUsers');
  const { key, permission, path, parameter } = list;
  if (!usePermission(permission)) return null;
  // A union of paths, each with its own parameters, has no common type.
  const target = { to: path, search: { [parameter]: userId } } as LinkProps;
  return (
    <Button variant="default" renderRoot={(props) => <Link {...props} {...target} />}>
      {t(`lists.${key}`)}
    </Button>
  );
}

function PageButton({ page: { key, permission, path }, userId }: { page: (typeof pages)[number]; userId: string }) {
  const { t } = useTranslation('staffUsers');
  if (!usePermission(permission)) return null;
  return (
    <Button variant="default" renderRoot={(props) => <Link {...props} to={path} params={{ userId }} />}>
      {t(`lists.${key}`)}
    </Button>
  );
}

import type { Permission } from '@cellhop/contract/permissions';
import type { StaffUser } from '@cellhop/contract/staff/users';
import { Skeleton, Button } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useScreenParams, useScreenSearch } from '../../loading/use-screen.ts';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { PageFailure } from '../../ui/page-failure.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/columns.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { useUser } from './api.ts';
import { MailsSection } from './mails-section.tsx';
import { staffUserScreen, type StaffUserSearch } from './screen.ts';
import { UserActions, ViewAsButton } from './user-actions.tsx';
import { ConfirmationBadge, UserStatusBadge } from './user-badges.tsx';
import classes from './user-page.module.css';
import { UserTimeline } from './user-timeline.tsx';

export function UserPage() {
  const { userId } = useScreenParams(staffUserScreen);
  const [search, changeSearch] = useScreenSearch(staffUserScreen);
  const change = (changed: StaffUserSearch) => changeSearch(changed, { resetScroll: false });
  const { t } = useTranslation(['staffUsers', 'staff']);
  const { response, failure } = useUser(userId);
  const user = response?.data;
  const name = user?.email ?? t('user.title');
  useDocumentTitle(name);
  return (
    <>
      <Breadcrumbs items={[{ label: t('staff:titles.users'), to: '/admin/users' }, { label: name }]} />
      {failure !== undefined ? (
        <PageFailure
          failure={failure}
          text={t('user.failed')}
          missingText={t('user.missing')}
          list={<Link to="/admin/users">{t('list.all')}</Link>}
        />
      ) : (
        <div className={classes['page']}>
          {user === undefined ? <UserPlaceholder /> : <LoadedUser user={user} />}
          <UserTimeline userId={userId} query={search} onQuery={change} />
          <MailsSection userId={userId} page={search.page ?? 1} onPage={(page) => change({ page })} />
        </div>
      )}
    </>
  );
}

function LoadedUser({ user }: { user: StaffUser }) {
  const { t } = useTranslation(['staffUsers', 'referralSystem']);
  const canEdit = usePermission('USERS_EDIT');
  return (
    <>
      <article className={classes['card']}>
        <div className={classes['head']}>
          <h2>{user.email}</h2>
          {user.status !== 'DELETED' && (
            <div className={classes['actions']}>
              <ViewAsButton user={user} />
              {canEdit && <UserActions user={user} />}
            </div>
          )}
        </div>
        <ul className={classes['chips']} aria-label={t('user.chips')}>
          <li>
            <ConfirmationBadge isConfirmed={user.isConfirmedEmail} />
          </li>
          <li>
            <UserStatusBadge status={user.status} />
          </li>
          <li>
            <StatusBadge tone="neutral" text={user.role.name} />
          </li>
          <li>
            <StatusBadge tone="neutral" text={t(`referralSystem:names.${user.referralLevel}`)} />
          </li>
        </ul>
        <UserFacts user={user} />
      </article>
      <UserLists userId={user.id} />
    </>
  );
}

function UserPlaceholder() {
  return (
    <div className={classes['card']} aria-busy="true">
      <Skeleton height={24} width="min(320px, 80%)" />
      <Skeleton height={22} width="min(420px, 90%)" />
      <Skeleton height={96} />
    </div>
  );
}

function UserFacts({ user }: { user: StaffUser }) {
  const { t } = useTranslation('staffUsers');
  const { id, balance, languageCode, referralCode, createdAt, deletedAt, referral, promoCode, hasSecondFactor } = user;
  const facts: Fact[] = [
    { label: t('fields.id'), value: <Copyable name={t('fields.id')} value={id} />, isWide: true },
    { label: t('fields.balance'), value: formatMoney(balance) },
    { label: t('fields.language'), value: languageCode.toUpperCase() },
    { label: t('fields.referralCode'), value: referralCode },
    { label: t('fields.createdAt'), value: <Time at={createdAt} /> },
    ...(deletedAt === null ? [] : [{ label: t('fields.deletedAt'), value: <Time at={deletedAt} /> }]),
    { label: t('fields.referrer'), value: referral === null ? t('none') : <UserLink user={referral} /> },
    { label: t('fields.promoCode'), value: promoCode ?? t('none') },
    { label: t('fields.secondFactor'), value: t(hasSecondFactor ? 'secondFactor.on' : 'secondFactor.off') },
  ];
  return <Facts items={facts} />;
}

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

function UserLists({ userId }: { userId: string }) {
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

import type { StaffUser } from '@cellhop/contract/staff/users';
import { Skeleton, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import { formatBalance } from '../../format/money.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useScreenParams, useScreenSearch } from '../../loading/use-screen.ts';
import { StaffBreadcrumbs } from '../staff-parts/staff-breadcrumbs.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { PageFailure } from '../../ui/page-failure.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/columns.tsx';
import { Money } from '../../ui/money.tsx';
import { AdjustDialog, useFunds } from '../staff-parts/adjust-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { UserTabs } from '../staff-parts/user-tabs.tsx';
import { useUser } from './api.ts';
import { MailsSection } from './mails-section.tsx';
import { RelatedUsers } from './related-users.tsx';
import { staffUserScreen, type StaffUserSearch } from './screen.ts';
import { UserActions, ViewAsButton } from './user-actions.tsx';
import { ConfirmationBadge, UserStatusBadge } from './user-badges.tsx';
import classes from './user-page.module.css';
import { UserTimeline } from './user-timeline.tsx';

export function UserPage() {
  const { userId } = useScreenParams(staffUserScreen);
  const [search, changeSearch] = useScreenSearch(staffUserScreen);
  const change = (changed: StaffUserSearch) => changeSearch(changed, { resetScroll: false });
  const { t } = useTranslation('staffUsers');
  const { response, failure } = useUser(userId);
  const user = response?.data;
  const tab = search.tab ?? 'overview';
  const name = user?.email ?? t('user.title');
  useDocumentTitle(name);
  return (
    <>
      <StaffBreadcrumbs to="/admin/users" items={[{ label: name }]} />
      {failure !== undefined ? (
        <PageFailure
          failure={failure}
          text={t('user.failed')}
          missingText={t('user.missing')}
          list={<Link to="/admin/users">{t('list.all')}</Link>}
        />
      ) : (
        <div className={classes['page']}>
          {user === undefined ? <UserPlaceholder /> : <UserHead user={user} />}
          <UserTabs userId={userId} current={tab} />
          {tab === 'related' ? (
            <RelatedUsers userId={userId} />
          ) : tab === 'mails' ? (
            <MailsSection userId={userId} page={search.page ?? 1} onPage={(page) => change({ page })} />
          ) : (
            <>
              {user !== undefined && <UserFacts user={user} />}
              <UserTimeline userId={userId} query={search} onQuery={change} />
            </>
          )}
        </div>
      )}
    </>
  );
}

/** Who it is, the balance, and what staff may do. */
function UserHead({ user }: { user: StaffUser }) {
  const { t } = useTranslation(['staffUsers', 'referralSystem']);
  const canEdit = usePermission('USERS_EDIT');
  return (
    <article className={classes['card']}>
      <div className={classes['head']}>
        <div className={classes['name']}>
          <h2>{user.email}</h2>
          <div className={classes['id']}>
            <Copyable name={t('fields.id')} value={user.id} />
          </div>
        </div>
        {user.status !== 'DELETED' && (
          <div className={classes['actions']}>
            <ViewAsButton user={user} />
            {canEdit && <UserActions user={user} />}
          </div>
        )}
      </div>
      <div className={classes['headline']}>
        <Balance user={user} />
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
      </div>
    </article>
  );
}

function Balance({ user }: { user: StaffUser }) {
  const { t } = useTranslation(['staffUsers', 'staffMoney']);
  const [isAdjusting, setAdjusting] = useState(false);
  const canAdjust = usePermission('TRANSACTIONS_WRITE');
  const { held = 0 } = useFunds(user.id) ?? {};
  return (
    <>
      <dl className={classes['balance']}>
        <dt>{t('fields.balance')}</dt>
        <dd>
          <Money dollars={user.balance} format={formatBalance} />
        </dd>
        {held > 0 && <dd className={classes['held']}>{t('user.held', { amount: formatMoney(held) })}</dd>}
      </dl>
      {canAdjust && user.status !== 'DELETED' && (
        <>
          <Button variant="default" onClick={() => setAdjusting(true)}>
            {t('staffMoney:adjust.open')}
          </Button>
          <AdjustDialog user={user} isOpen={isAdjusting} onClose={() => setAdjusting(false)} />
        </>
      )}
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
  const {
    languageCode,
    referralCode,
    createdAt,
    deletedAt,
    referral,
    promoCode,
    hasSecondFactor,
    secondFactorResetAt,
  } = user;
  const facts: Fact[] = [
    { label: t('fields.language'), value: languageCode.toUpperCase() },
    { label: t('fields.referralCode'), value: referralCode },
    { label: t('fields.createdAt'), value: <Time at={createdAt} /> },
    ...(deletedAt === null ? [] : [{ label: t('fields.deletedAt'), value: <Time at={deletedAt} /> }]),
    { label: t('fields.referrer'), value: referral === null ? t('none') : <UserLink user={referral} /> },
    { label: t('fields.promoCode'), value: promoCode ?? t('none') },
    { label: t('fields.secondFactor'), value: t(hasSecondFactor ? 'secondFactor.on' : 'secondFactor.off') },
    ...(secondFactorResetAt
      ? [{ label: t('fields.secondFactorReset'), value: <Time at={secondFactorResetAt} /> }]
      : []),
  ];
  return <Facts items={facts} />;
}

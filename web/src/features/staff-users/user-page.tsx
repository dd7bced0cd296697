import type { StaffUser } from '@cellhop/contract/staff/users';
import { Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../data/use-api-query.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useScreenParams, useScreenSearch } from '../../loading/use-screen.ts';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useUser } from './api.ts';
import { MailsSection } from './mails-section.tsx';
import { staffUserScreen, type StaffUserSearch } from './screen.ts';
import { UserActions } from './user-actions.tsx';
import { ConfirmationBadge, UserStatusBadge } from './user-badges.tsx';
import { UserFacts } from './user-facts.tsx';
import { UserLists } from './user-lists.tsx';
import classes from './user-page.module.css';
import { UserTimeline } from './user-timeline.tsx';
import { ViewAsButton } from './view-as-button.tsx';

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
        <UserFailure {...failure} />
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

/** A retry helps after a failure, but not with a wrong URL. */
function UserFailure(failure: Failure) {
  const { t } = useTranslation('staffUsers');
  const isMissing = failure.error.code === 'NOT_FOUND' || failure.error.code === 'VALIDATION';
  if (!isMissing) return <LoadFailure text={t('user.failed')} {...failure} />;
  return (
    <LoadFailure text={t('user.failed')}>
      <span>{t('user.missing')}</span>
      <Link to="/admin/users">{t('list.all')}</Link>
    </LoadFailure>
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

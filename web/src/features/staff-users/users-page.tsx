import { userSorts } from '@cellhop/contract/staff/users.values';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { toTimeOrder } from '../staff-parts/continuation.ts';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { UserLink } from '../staff-parts/user-link.tsx';
import { useUser, useUsers } from './api.ts';
import { useRoles } from './roles-api.ts';
import { staffUsersScreen, type StaffUsersSearch, staffUsersSearch } from './screen.ts';
import { UsersFilter } from './users-filter.tsx';
import { UsersTable } from './users-table.tsx';
import classes from './users-page.module.css';

export function UsersPage() {
  const [search, change] = useScreenSearch(staffUsersScreen);
  const changeList = (changed: StaffUsersSearch) => change(changed, { replace: true, resetScroll: false });
  const { t } = useTranslation('staffUsers');
  const users = useUsers(search);
  const roles = useRoles();
  const page = search.page ?? 1;
  return (
    <>
      {search.referralId !== undefined && <ReferralsNotice referrerId={search.referralId} />}
      <UsersFilter
        search={search}
        roleNames={roles.rows?.map(({ name }) => name)}
        onChange={(chosen) => changeList(staffUsersSearch({ ...chosen }))}
      />
      <ContinuedList
        list={users}
        page={page}
        onPage={(chosen) => change({ page: chosen })}
        moments={search}
        onMoments={(moments) => changeList({ ...moments, page: undefined })}
        order={toTimeOrder(search.sort ?? userSorts[0])}
        failureText={t('list.failed')}
        empty={<EmptyList text={t('list.empty')} />}
      >
        {(rows) => (
          <div className={classes['list']}>
            <UsersTable
              users={rows}
              sort={search.sort}
              onSort={(sort) => changeList({ sort: oneOf(sort, userSorts), page: undefined })}
            />
          </div>
        )}
      </ContinuedList>
    </>
  );
}

function ReferralsNotice({ referrerId }: { referrerId: string }) {
  const { t } = useTranslation('staffUsers');
  const referrer = useUser(referrerId).response?.data;
  return (
    <p className={classes['notice']}>
      {t('list.referralsOf')} {referrer !== undefined && <UserLink user={referrer} />}{' '}
      <Link to="." search={{}}>
        {t('list.all')}
      </Link>
    </p>
  );
}

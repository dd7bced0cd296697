import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import { useDocumentTitle } from '../../hooks/use-document-title.ts';
import { useScreenParams, useScreenSearch } from '../../loading/use-screen.ts';
import { toList } from '../../data/use-list.ts';
import { Breadcrumbs } from '../../ui/breadcrumbs.tsx';
import { Facts } from '../../ui/facts.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { ContinuedList } from '../staff-parts/continued-list.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { AdjustDialog } from './adjust-dialog.tsx';
import { useLedger } from './api.ts';
import { LedgerFilter } from './ledger-filter.tsx';
import classes from './ledger-page.module.css';
import { LedgerTable } from './ledger-table.tsx';
import { staffLedgerScreen } from './screen.ts';

/** The changes of a user's balance, with its corrections. */
export function LedgerPage() {
  const { userId } = useScreenParams(staffLedgerScreen);
  const [search, change] = useScreenSearch(staffLedgerScreen);
  const { t } = useTranslation(['staffMoney', 'staff']);
  const ledger = useLedger(userId, search);
  const [isAdjusting, setAdjusting] = useState(false);
  const canAdjust = usePermission('TRANSACTIONS_WRITE');
  const { user, balance = 0, held = 0 } = ledger.response ?? {};
  useDocumentTitle(t('ledger.title'));
  return (
    <>
      <Breadcrumbs
        items={[{ label: t('staff:titles.users') }, { label: user?.email ?? '…' }, { label: t('ledger.title') }]}
      />
      {user !== undefined && (
        <div className={classes['head']}>
          <Facts
            items={[
              { label: t('staff:user'), value: <UserLink user={user} /> },
              { label: t('ledger.balance'), value: formatMoney(balance) },
              { label: t('ledger.held'), value: formatMoney(held) },
            ]}
          />
          {canAdjust && <Button onClick={() => setAdjusting(true)}>{t('adjust.open')}</Button>}
        </div>
      )}
      <LedgerFilter search={search} onChange={(filter) => change({ ...filter, page: undefined })} />
      <ContinuedList
        list={toList(ledger)}
        page={search.page ?? 1}
        onPage={(page) => change({ page })}
        moments={search}
        onMoments={(moments) => change({ ...moments, page: undefined })}
        order="NEWEST_FIRST"
        failureText={t('ledger.failed')}
        empty={<EmptyList text={t('ledger.empty')} />}
      >
        {(rows) => <LedgerTable transactions={rows} />}
      </ContinuedList>
      {user !== undefined && (
        <AdjustDialog
          isOpen={isAdjusting}
          user={user}
          balance={balance}
          held={held}
          onClose={() => setAdjusting(false)}
        />
      )}
    </>
  );
}

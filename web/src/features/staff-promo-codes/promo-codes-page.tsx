import type { PromoCode } from '@cellhop/contract/staff/promo-codes';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { OfUserNotice } from '../staff-parts/of-user-notice.tsx';
import { ReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useSeen } from '../staff-parts/use-seen.ts';
import { useDisablePromoCode, usePromoCodes } from './api.ts';
import { CreatePromoCodeDialog } from './create-promo-code-dialog.tsx';
import { PromoCodesFilter } from './promo-codes-filter.tsx';
import classes from './promo-codes-page.module.css';
import { PromoCodesTable } from './promo-codes-table.tsx';
import { staffPromoCodesScreen } from './screen.ts';

export function PromoCodesPage() {
  const [{ page = 1, ...filter }, change] = useScreenSearch(staffPromoCodesScreen);
  const { t } = useTranslation('staffContent');
  const promoCodes = usePromoCodes({ ...filter, page });
  const canWrite = usePermission('PROMO_CODES_WRITE');
  const [isCreating, setCreating] = useState(false);
  const { row: disabling, shown, isOpen, open, close } = useSeen<PromoCode>();
  const disable = useDisablePromoCode();

  async function confirm(reason: string | undefined): Promise<void> {
    if (disabling === undefined) return;
    await disable.run({ promoCode: disabling, reason });
    close();
  }

  return (
    <>
      <OfUserNotice userId={filter.userId} />
      <div className={classes['bar']}>
        <PromoCodesFilter
          filter={filter}
          onChange={(chosen) => change({ ...chosen, page: undefined }, { replace: true })}
        />
        {canWrite && (
          <Button leftSection={<IconPlus size={18} aria-hidden="true" />} onClick={() => setCreating(true)}>
            {t('promoCodes.create.open')}
          </Button>
        )}
      </div>
      <PagedList
        list={promoCodes}
        page={page}
        onPage={(chosen) => change({ page: chosen })}
        failureText={t('promoCodes.failed')}
        empty={<EmptyList text={t('promoCodes.empty')} />}
      >
        {(rows) => <PromoCodesTable promoCodes={rows} onDisable={canWrite ? open : undefined} />}
      </PagedList>
      <CreatePromoCodeDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <ReasonDialog
        isOpen={isOpen}
        title={t('promoCodes.disable.title', { code: shown?.code ?? '' })}
        text={t('promoCodes.disable.text')}
        action={t('promoCodes.disable.action')}
        isDangerous
        isOptional
        isWorking={disable.isRunning}
        onConfirm={(reason) => void confirm(reason)}
        onClose={close}
      />
    </>
  );
}

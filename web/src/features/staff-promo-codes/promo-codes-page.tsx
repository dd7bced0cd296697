import { REFERRAL_CODE_LENGTH_MAX } from '@cellhop/contract/limits';
import { promoCodeStatuses } from '@cellhop/contract/referrals.values';
import type { PromoCode } from '@cellhop/contract/staff/promo-codes';
import { Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatMoney } from '../../format/format.ts';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { CreateButton } from '../../ui/create-button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { RowButton, timeColumn, Time } from '../../ui/columns.tsx';
import { FilterText } from '../staff-parts/filter-text.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { RowReasonDialog } from '../staff-parts/reason-dialog.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRowSnapshot } from '../staff-parts/use-row-snapshot.ts';
import { UserLink } from '../staff-parts/user-link.tsx';
import { OfUserNotice } from '../staff-parts/user-tabs.tsx';
import { useDisablePromoCode, usePromoCodes } from './api.ts';
import { CopyLink } from './copy-link.tsx';
import { CreatePromoCodeForm } from './create-promo-code-form.tsx';
import { staffPromoCodesScreen, type PromoCodesFilter as Filter } from './screen.ts';

export function PromoCodesPage() {
  const [{ page = 1, ...filter }, change] = useScreenSearch(staffPromoCodesScreen);
  const { t } = useTranslation('staffContent');
  const promoCodes = usePromoCodes({ ...filter, page });
  const canWrite = usePermission('PROMO_CODES_WRITE');
  const [isCreating, setCreating] = useState(false);
  const disabling = useRowSnapshot<PromoCode>();
  const disable = useDisablePromoCode();

  return (
    <>
      <OfUserNotice userId={filter.userId} current="promoCodes" />
      <PromoCodesFilter
        filter={filter}
        onChange={(chosen) => change({ ...chosen, page: undefined }, { replace: true })}
        onCreate={canWrite ? () => setCreating(true) : undefined}
      />
      <PagedList
        list={promoCodes}
        page={page}
        onPage={(chosen) => change({ page: chosen })}
        failureText={t('promoCodes.failed')}
        empty={<EmptyList text={t('promoCodes.empty')} />}
      >
        {(rows) => <PromoCodesTable promoCodes={rows} onDisable={canWrite ? disabling.open : undefined} />}
      </PagedList>
      <Dialog isOpen={isCreating} title={t('promoCodes.create.title')} onClose={() => setCreating(false)}>
        <CreatePromoCodeForm onCreated={() => setCreating(false)} />
      </Dialog>
      <RowReasonDialog
        snapshot={disabling}
        title={t('promoCodes.disable.title', { code: disabling.shown?.code ?? '' })}
        text={t('promoCodes.disable.text')}
        action={t('promoCodes.disable.action')}
        isDangerous
        isOptional
        isWorking={disable.isRunning}
        onConfirm={(promoCode, reason) => disable.run({ promoCode, reason })}
      />
    </>
  );
}

interface PromoCodesFilterProps {
  filter: Filter;
  onChange: (changed: Partial<Filter>) => void;
  /** Undefined if the member of staff may not create promo codes. */
  onCreate: (() => void) | undefined;
}

function PromoCodesFilter({ filter: { code, status }, onChange, onCreate }: PromoCodesFilterProps) {
  const { t } = useTranslation(['staffContent', 'referralSystem']);
  return (
    <FilterPanel
      filter={{ code, status }}
      onReset={onChange}
      actions={onCreate && <CreateButton text={t('promoCodes.create.open')} onClick={onCreate} />}
    >
      <FilterText
        label={t('promoCodes.filter.code')}
        value={code}
        maxLength={REFERRAL_CODE_LENGTH_MAX}
        onChange={(chosen) => onChange({ code: chosen })}
      />
      <Select
        label={t('referralSystem:promoCodes.status')}
        placeholder={t('promoCodes.filter.anyStatus')}
        data={promoCodeStatuses.map((status) => ({
          value: status,
          label: t(`referralSystem:promoCodes.statuses.${status}`),
        }))}
        value={status ?? null}
        clearable
        clearButtonProps={{ 'aria-label': t('promoCodes.filter.anyStatus') }}
        onChange={(chosen) => onChange({ status: oneOf(chosen, promoCodeStatuses) })}
      />
    </FilterPanel>
  );
}

interface PromoCodesTableProps {
  promoCodes: readonly PromoCode[] | undefined;
  /** Undefined if the member of staff may not disable promo codes. */
  onDisable: ((promoCode: PromoCode) => void) | undefined;
}

function PromoCodesTable({ promoCodes, onDisable }: PromoCodesTableProps) {
  const { t } = useTranslation(['staffContent', 'staff', 'referralSystem']);
  const columns: Column<PromoCode>[] = [
    { key: 'code', header: t('promoCodes.code'), isUnbroken: true, place: 'heading', render: ({ code }) => code },
    { key: 'user', header: t('staff:user'), place: 'line', render: ({ referral }) => <UserLink user={referral} /> },
    {
      key: 'status',
      header: t('referralSystem:promoCodes.status'),
      place: 'heading',
      render: ({ status, heldBecause }) => (
        <StatusBadge
          tone={heldBecause !== null ? 'warning' : status === 'ACTIVE' ? 'good' : 'neutral'}
          text={t(
            heldBecause === null
              ? `referralSystem:promoCodes.statuses.${status}`
              : `promoCodes.heldBecause.${heldBecause}`,
          )}
        />
      ),
    },
    {
      key: 'users',
      header: t('referralSystem:promoCodes.users'),
      place: 'fact',
      isNumeric: true,
      render: ({ registeredUsersCount }) => formatCount(registeredUsersCount),
    },
    ...useTrialColumns(),
    { ...timeColumn('createdAt', t('referralSystem:promoCodes.createdAt')), place: 'fact' },
    {
      key: 'expiredAt',
      header: t('referralSystem:promoCodes.expiredAt'),
      place: 'fact',
      render: ({ expiredAt }) => (expiredAt === null ? t('referralSystem:promoCodes.never') : <Time at={expiredAt} />),
    },
    {
      key: 'link',
      header: t('promoCodes.link.header'),
      place: 'action',
      render: ({ code, status, heldBecause }) =>
        status === 'ACTIVE' && heldBecause === null && <CopyLink code={code} />,
    },
  ];
  if (onDisable !== undefined)
    columns.push({
      key: 'action',
      header: t('promoCodes.action'),
      place: 'action',
      render: (promoCode) =>
        (promoCode.status !== 'DISABLED' || promoCode.heldBecause !== null) && (
          <RowButton
            text={t('promoCodes.disable.action')}
            label={t('promoCodes.disable.of', { code: promoCode.code })}
            isDestructive
            onClick={() => onDisable(promoCode)}
          />
        ),
    });
  return (
    <DataTable label={t('promoCodes.label')} columns={columns} rows={promoCodes} rowKey={({ id }) => id} isDense />
  );
}

function useTrialColumns(): Column<PromoCode>[] {
  const { t } = useTranslation('staffContent');
  const ofLimit = (value: string, limit: string | undefined) =>
    limit === undefined ? value : t('promoCodes.ofLimit', { value, limit });
  return [
    {
      key: 'trialCredit',
      header: t('promoCodes.trialCredit'),
      place: 'fact',
      isNumeric: true,
      render: ({ trialCredit }) => (trialCredit === 0 ? '–' : formatMoney(trialCredit)),
      renderInCard: ({ trialCredit }) => (trialCredit === 0 ? t('promoCodes.noCredit') : formatMoney(trialCredit)),
    },
    {
      key: 'uses',
      header: t('promoCodes.uses'),
      place: 'fact',
      isNumeric: true,
      render: ({ trialCreditsCount, trialCreditsMax }) =>
        ofLimit(formatCount(trialCreditsCount), trialCreditsMax === null ? undefined : formatCount(trialCreditsMax)),
    },
    {
      key: 'budget',
      header: t('promoCodes.spent'),
      place: 'fact',
      isNumeric: true,
      render: ({ credited, budget }) =>
        ofLimit(formatMoney(credited), budget === null ? undefined : formatMoney(budget)),
    },
  ];
}

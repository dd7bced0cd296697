import { REFERRAL_CODE_LENGTH_MAX } from '@cellhop/contract/limits';
import { promoCodeStatuses } from '@cellhop/contract/referrals.values';
import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import classes from './promo-codes-page.module.css';
import type { PromoCodesFilter as Filter } from './screen.ts';

interface PromoCodesFilterProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
}

/** Kept in the URL. The code is applied by Enter, or when the field is left. */
export function PromoCodesFilter({ filter, onChange }: PromoCodesFilterProps) {
  const { t } = useTranslation(['staffContent', 'referralSystem']);
  const [code, setCode] = useState(filter.code ?? '');
  const [applied, setApplied] = useState(filter.code);
  if (applied !== filter.code) {
    setApplied(filter.code);
    setCode(filter.code ?? '');
  }

  function apply(): void {
    const typed = code.trim() === '' ? undefined : code.trim();
    if (typed !== filter.code) onChange({ ...filter, code: typed });
  }

  return (
    <search className={classes['filter']}>
      <TextInput
        label={t('promoCodes.filter.code')}
        value={code}
        maxLength={REFERRAL_CODE_LENGTH_MAX}
        autoComplete="off"
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
        onBlur={apply}
        onKeyDown={({ key }) => key === 'Enter' && apply()}
      />
      <Select
        label={t('referralSystem:promoCodes.status')}
        placeholder={t('promoCodes.filter.anyStatus')}
        data={promoCodeStatuses.map((status) => ({
          value: status,
          label: t(`referralSystem:promoCodes.statuses.${status}`),
        }))}
        value={filter.status ?? null}
        clearable
        clearButtonProps={{ 'aria-label': t('promoCodes.filter.anyStatus') }}
        onChange={(status) => onChange({ ...filter, status: oneOf(status, promoCodeStatuses) })}
      />
    </search>
  );
}

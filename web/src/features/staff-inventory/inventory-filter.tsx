import type { InventoryFilter as Filter } from '@cellhop/contract/staff/inventory';
import { proxyStates } from '@cellhop/contract/staff/inventory.values';
import { Button, Select, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type FilterTexts, isEmpty, toFilter, toTexts } from './choice.ts';
import classes from './inventory-filter.module.css';

interface InventoryFilterProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
}

/** Applied when it is submitted, and kept in the URL. */
export function InventoryFilter({ filter, onChange }: InventoryFilterProps) {
  const { t } = useTranslation(['staffInventory', 'common']);
  const [texts, setTexts] = useState(() => toTexts(filter));
  const field = (key: keyof FilterTexts) => ({
    value: texts[key],
    onChange: (event: { currentTarget: { value: string } }) => setTexts({ ...texts, [key]: event.currentTarget.value }),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    onChange(toFilter(texts));
  }

  return (
    <form className={classes['panel']} aria-label={t('filter.title')} onSubmit={submit}>
      <div className={classes['fields']}>
        <TextInput label={t('common:location.ip')} placeholder="192.0.2" {...field('ip')} />
        <TextInput label={t('filter.countries')} placeholder="DE, FR" {...field('country')} />
        <TextInput label={t('common:location.isp')} {...field('isp')} />
        <TextInput label={t('node')} {...field('node')} />
        <Select
          label={t('state')}
          placeholder={t('filter.allStates')}
          clearable
          clearButtonProps={{ 'aria-label': t('filter.reset') }}
          data={proxyStates.map((value) => ({ value, label: t(`states.${value}`) }))}
          value={texts.state === '' ? null : texts.state}
          onChange={(state) => {
            const chosen = { ...texts, state: state ?? '' };
            setTexts(chosen);
            onChange(toFilter(chosen));
          }}
        />
      </div>
      <div className={classes['actions']}>
        <Button type="submit">{t('filter.apply')}</Button>
        {!isEmpty(filter) && (
          <Button variant="default" onClick={() => onChange({})}>
            {t('filter.reset')}
          </Button>
        )}
      </div>
    </form>
  );
}

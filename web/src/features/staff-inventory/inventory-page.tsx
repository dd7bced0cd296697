import type { InventoryFilter as Filter, InventoryProxy } from '@cellhop/contract/staff/inventory';
import { inventorySorts, proxyStates } from '@cellhop/contract/staff/inventory.values';
import { Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { oneOf } from '../../loading/search-values.ts';
import { useScreenSearch } from '../../loading/use-screen.ts';
import { CreateButton } from '../../ui/create-button.tsx';
import { destructive } from '../../ui/destructive.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList } from '../../ui/list-state.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import { FilterPanel } from '../staff-parts/filter-panel.tsx';
import { SelectionBar, useRowSelection } from '../staff-parts/row-selection.tsx';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useCheckNow, useExport, useInventory } from './api.ts';
import { PriceDialog, RetirementDialog } from './bulk-dialogs.tsx';
import { isEmpty, type FilterTexts, readCountries, toFilter, toTexts } from './choice.ts';
import { CountriesField } from './countries-field.tsx';
import { ExitBudgetDialog } from './exit-budget-dialog.tsx';
import { HistoryDialog } from './history-dialog.tsx';
import { InventoryChanges } from './inventory-changes.tsx';
import { ImportForm } from './import-form.tsx';
import classes from './inventory-filter.module.css';
import { InventoryTable } from './inventory-table.tsx';
import { LimitsDialog } from './limits-dialog.tsx';
import { RotationDialog } from './rotation-dialog.tsx';
import { staffInventoryScreen, staffInventorySearch } from './screen.ts';
import { WaitingProxies } from './waiting-proxies.tsx';

type DialogName = 'history' | 'import' | 'price' | 'limits' | 'rotation' | 'budget' | 'retire' | 'restore';

export function InventoryPage() {
  const [{ page = 1, sort, ...filter }, change] = useScreenSearch(staffInventoryScreen);
  const { t } = useTranslation('staffInventory');
  const proxies = useInventory(filter, sort, page);
  const canEdit = usePermission('PROXIES_EDIT');
  const checking = useCheckNow();
  const [open, setOpen] = useState<DialogName>();
  // The buttons of a row change one proxy, those below the list the chosen ones, and those above it all proxies of the filter.
  const [some, setSome] = useState<readonly InventoryProxy[]>();
  const changed: Filter = some === undefined ? filter : { id: some.map(({ id }) => id) };
  const selection = useRowSelection({ rows: proxies.rows, keyOf: ({ id }) => id, nameOf: ({ ip }) => ip });
  const close = () => setOpen(undefined);
  const show = (name: DialogName, ...these: InventoryProxy[]) => {
    setSome(these.length === 0 ? undefined : these);
    setOpen(name);
  };

  return (
    <>
      <InventoryFilter
        key={JSON.stringify(filter)}
        filter={filter}
        onChange={(chosen) => change(staffInventorySearch({ ...chosen, sort }))}
        onImport={canEdit ? () => show('import') : undefined}
      />
      <InventoryTools filter={filter} onShow={canEdit ? (name) => show(name) : undefined} />
      <InventoryChanges />
      <WaitingProxies />
      <PagedList
        list={proxies}
        page={page}
        onPage={(chosen) => change({ page: chosen })}
        failureText={t('table.failed')}
        empty={<EmptyList text={t(isEmpty(filter) ? 'table.empty' : 'table.emptyFiltered')} />}
      >
        {(rows) => (
          <InventoryTable
            proxies={rows}
            selection={canEdit ? selection : undefined}
            sort={sort ?? 'ip'}
            onSort={(chosen) =>
              change({ sort: oneOf(chosen, inventorySorts), page: undefined }, { resetScroll: false })
            }
            onHistory={(proxy) => show('history', proxy)}
            onPrice={canEdit ? (proxy) => show('price', proxy) : undefined}
            onLimit={canEdit ? (proxy) => show('limits', proxy) : undefined}
            onRotation={canEdit ? (proxy) => show('rotation', proxy) : undefined}
            onBudget={canEdit ? (proxy) => show('budget', proxy) : undefined}
            onCheck={canEdit ? (proxy) => void checking.run(proxy) : undefined}
            onRetire={canEdit ? (proxy) => show(proxy.isRetired ? 'restore' : 'retire', proxy) : undefined}
          />
        )}
      </PagedList>
      {canEdit && (
        <SelectionBar selection={selection}>
          <ChangeButtons onShow={(name) => show(name, ...selection.chosen)} />
        </SelectionBar>
      )}
      <Dialog isOpen={open === 'import'} title={t('import.title')} size="lg" onClose={close}>
        {open === 'import' && <ImportForm onClose={close} />}
      </Dialog>
      <DialogsOfOne open={open} proxy={some?.[0]} onClose={close} />
      <PriceDialog isOpen={open === 'price'} filter={changed} onClose={close} />
      {(['retire', 'restore'] as const).map((name) => (
        <RetirementDialog key={name} change={name} isOpen={open === name} filter={changed} onClose={close} />
      ))}
    </>
  );
}

interface DialogsOfOneProps {
  open: DialogName | undefined;
  proxy: InventoryProxy | undefined;
  onClose: () => void;
}

function DialogsOfOne({ open, proxy, onClose }: DialogsOfOneProps) {
  const ifOpen = (name: DialogName) => (open === name ? proxy : undefined);
  return (
    <>
      <HistoryDialog proxy={ifOpen('history')} onClose={onClose} />
      <LimitsDialog proxy={ifOpen('limits')} onClose={onClose} />
      <RotationDialog proxy={ifOpen('rotation')} onClose={onClose} />
      <ExitBudgetDialog proxy={ifOpen('budget')} onClose={onClose} />
    </>
  );
}

interface InventoryToolsProps {
  filter: Filter;
  /** Undefined if the member of staff may not change proxies. */
  onShow: ((name: DialogName) => void) | undefined;
}

function InventoryTools({ filter, onShow }: InventoryToolsProps) {
  const { t } = useTranslation('staffInventory');
  const exporting = useExport();
  return (
    <div className={classes['tools']}>
      {onShow !== undefined && <ChangeButtons onShow={onShow} />}
      {(['csv', 'json'] as const).map((format) => (
        <Button
          key={format}
          variant="default"
          loading={exporting.isRunning && exporting.input?.format === format}
          onClick={() => void exporting.run({ filter, format })}
        >
          {t(`tools.${format}`)}
        </Button>
      ))}
    </div>
  );
}

/** What can be done with many proxies. */
function ChangeButtons({ onShow }: { onShow: (name: DialogName) => void }) {
  const { t } = useTranslation('staffInventory');
  return (['price', 'retire', 'restore'] as const).map((name) => (
    <Button
      key={name}
      {...(name === 'retire' ? destructive.opens : { variant: 'default' })}
      onClick={() => onShow(name)}
    >
      {t(`tools.${name}`)}
    </Button>
  ));
}

interface InventoryFilterProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  /** Undefined if the member of staff may not change proxies. */
  onImport: (() => void) | undefined;
}

/** Applied when it is submitted, and kept in the URL. */
function InventoryFilter({ filter, onChange, onImport }: InventoryFilterProps) {
  const { t } = useTranslation(['staffInventory', 'common']);
  const [texts, setTexts] = useState(() => toTexts(filter));
  const field = (key: keyof FilterTexts) => ({
    value: texts[key],
    onChange: (event: { currentTarget: { value: string } }) => setTexts({ ...texts, [key]: event.currentTarget.value }),
  });

  function apply(chosen: FilterTexts): void {
    setTexts(chosen);
    if (readCountries(chosen.country, filter.country).unknown.length === 0) onChange(toFilter(chosen));
  }

  return (
    <FilterPanel
      filter={filter}
      onReset={() => onChange({})}
      onApply={() => apply(texts)}
      actions={onImport && <CreateButton text={t('tools.import')} onClick={onImport} />}
    >
      <TextInput label={t('common:location.ip')} placeholder="192.0.2" {...field('ip')} />
      <CountriesField
        value={texts.country}
        applied={filter.country}
        onChange={(country) => setTexts({ ...texts, country })}
      />
      <TextInput label={t('common:location.isp')} {...field('isp')} />
      <TextInput label={t('node')} {...field('node')} />
      <Select
        label={t('state')}
        placeholder={t('filter.allStates')}
        clearable
        clearButtonProps={{ 'aria-label': t('filter.reset') }}
        data={proxyStates.map((value) => ({ value, label: t(`states.${value}`) }))}
        value={texts.state === '' ? null : texts.state}
        onChange={(state) => apply({ ...texts, state: state ?? '' })}
      />
    </FilterPanel>
  );
}

import { BULK_PROXIES_MAX, REASON_LENGTH_MAX, REASON_LENGTH_MIN } from '@cellhop/contract/limits';
import type { InventoryFilter, Selection } from '@cellhop/contract/staff/inventory';
import { SegmentedControl, TextInput, Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { destructive } from '../../ui/destructive.ts';
import { errorText } from '../../data/error-text.ts';
import { formatCount, formatMoney } from '../../format/format.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { Placeholder } from '../../ui/placeholder.tsx';
import { useChangePrices, type Seen, useSelection, useChangeRetirement } from './api.ts';
import { isEmpty } from './choice.ts';
import classes from './bulk-dialogs.module.css';
import {
  customerPriceWords,
  type PriceChangeKind,
  priceChangeWords,
  priceNotation,
  toPriceChange,
} from './price-change.ts';

export function PriceDialog({ isOpen, filter, onClose }: BulkDialogProps) {
  const { t } = useTranslation('staffInventory');
  const changing = useChangePrices();
  const [kind, setKind] = useState<PriceChangeKind>('percent');
  const [text, setText] = useState('');
  const change = toPriceChange(kind, text);
  return (
    <BulkDialog
      isOpen={isOpen}
      filter={filter}
      title={t('price.title')}
      text={t('price.text')}
      action={t('price.action')}
      isWorking={changing.isRunning}
      isReady={change !== undefined}
      describe={(selection) =>
        change === undefined
          ? undefined
          : [priceChangeWords(change, selection, t), customerPriceWords(change, selection, t)]
      }
      onConfirm={async (seen) =>
        change === undefined ? undefined : changing.run({ ...seen, change }, { onSuccess: onClose })
      }
      onClose={onClose}
    >
      <SegmentedControl
        aria-label={t('price.kind')}
        value={kind}
        onChange={(value) => setKind(value === 'price' ? 'price' : 'percent')}
        data={[
          { value: 'percent', label: t('price.percent') },
          { value: 'price', label: t('price.fixed') },
        ]}
      />
      <NumberField
        {...priceNotation(kind)}
        label={t(kind === 'price' ? 'price.dollars' : 'price.byPercent')}
        description={t(kind === 'price' ? 'price.dollarsHint' : 'price.percentHint')}
        value={text}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </BulkDialog>
  );
}

/** Retires proxies, or puts retired ones into the catalogue again. */
export function RetirementDialog({ change, onClose, ...dialog }: BulkDialogProps & { change: 'retire' | 'restore' }) {
  const { t } = useTranslation('staffInventory');
  const changing = useChangeRetirement(change);
  return (
    <BulkDialog
      {...dialog}
      title={t(`${change}.title`)}
      text={t(`${change}.text`)}
      action={t(`${change}.action`)}
      isDangerous={change === 'retire'}
      isWorking={changing.isRunning}
      onConfirm={(seen) => changing.run(seen, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

interface BulkDialogProps {
  isOpen: boolean;
  filter: InventoryFilter;
  onClose: () => void;
}

interface BulkFormProps extends BulkDialogProps {
  title: string;
  text: string;
  /** Label of the confirm button; shows the number of proxies beside it. */
  action: string;
  isDangerous?: boolean;
  isWorking: boolean;
  /** False while the fields are not valid. */
  isReady?: boolean;
  /** Fields between the count and the reason. */
  children?: ReactNode;
  /** Repeats the change in words; undefined while the fields are not valid. */
  describe?: (selection: Selection) => readonly (string | undefined)[] | undefined;
  /** @returns undefined if it failed */
  onConfirm: (seen: Seen) => Promise<unknown>;
}

/** Shows how many proxies a change would touch, and then changes exactly these. */
function BulkDialog(props: BulkFormProps) {
  const { isOpen, title, onClose } = props;
  return (
    <Dialog isOpen={isOpen} title={title} size="sm" onClose={onClose}>
      {isOpen && <BulkForm {...props} />}
    </Dialog>
  );
}

function BulkForm(props: BulkFormProps) {
  const {
    filter,
    text,
    action,
    isDangerous,
    isWorking,
    isReady = true,
    children,
    describe,
    onConfirm,
    onClose,
  } = props;
  const { t } = useTranslation(['staffInventory', 'staff', 'common']);
  const { response, error, isFetching } = useSelection(filter, true);
  const [reason, setReason] = useState('');
  // What the member of staff saw first: a change of others is refused, not overwritten. After a refusal they see the current proxies.
  const [seen, setSeen] = useState<Selection>();
  if (seen === undefined && !isFetching && response !== undefined) setSeen(response.data);
  const selection = error === null ? seen : undefined;
  const words = selection && describe?.(selection);
  const given = reason.trim();
  const isReasonValid = given === '' || given.length >= REASON_LENGTH_MIN;
  const isAllowed = selection !== undefined && selection.count > 0 && !isFetching && isReady && isReasonValid;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (selection === undefined) return;
    if ((await onConfirm({ filter, selection, reason: given === '' ? undefined : given })) === undefined)
      setSeen(undefined);
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Text>{text}</Text>
        {error === null ? (
          <SelectionText
            selection={selection}
            choice={filter.id !== undefined ? 'chosen' : isEmpty(filter) ? 'all' : 'count'}
          />
        ) : (
          <Alert role="alert" color="red" variant="light">
            {error.code === 'VALIDATION'
              ? t('bulk.tooMany', { maximum: formatCount(BULK_PROXIES_MAX) })
              : errorText(error)}
          </Alert>
        )}
        {children}
        {words !== undefined && <Words sentences={words} />}
        <TextInput
          label={t('staff:reason.optional')}
          value={reason}
          maxLength={REASON_LENGTH_MAX}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" {...(isDangerous && destructive.confirms)} disabled={!isAllowed} loading={isWorking}>
            {`${action} (${selection === undefined ? '…' : formatCount(selection.count)})`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Words({ sentences }: { sentences: readonly (string | undefined)[] }) {
  return (
    <output className={classes['words']}>
      {sentences.map((sentence) => sentence !== undefined && <p key={sentence}>{sentence}</p>)}
    </output>
  );
}

interface SelectionTextProps {
  selection: Selection | undefined;
  /** By hand, without a filter, or by a filter. */
  choice: 'chosen' | 'all' | 'count';
}

function SelectionText({ selection, choice }: SelectionTextProps) {
  const { t } = useTranslation('staffInventory');
  if (selection === undefined) return <Placeholder height={20} width="60%" />;
  const { count, lowestPrice, highestPrice } = selection;
  if (lowestPrice === null || highestPrice === null) return <Text>{t('bulk.none')}</Text>;
  const range = { from: formatMoney(lowestPrice), to: formatMoney(highestPrice) };
  return <Text fw={600}>{t(`bulk.${choice}`, { count, number: formatCount(count), ...range })}</Text>;
}

import { SegmentedControl, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChangePrices, useRestore, useRetire } from './api.ts';
import { BulkDialog, type BulkDialogProps } from './bulk-dialog.tsx';
import { type PriceChangeKind, priceChangeWords, toPriceChange } from './price-change.ts';

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
      describe={(selection) => (change === undefined ? undefined : priceChangeWords(change, selection, t))}
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
      <TextInput
        label={t(kind === 'price' ? 'price.dollars' : 'price.byPercent')}
        description={t(kind === 'price' ? 'price.dollarsHint' : 'price.percentHint')}
        value={text}
        inputMode="decimal"
        autoComplete="off"
        data-autofocus
        error={text !== '' && change === undefined ? t('price.invalid') : undefined}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </BulkDialog>
  );
}

export function RetireDialog({ onClose, ...dialog }: BulkDialogProps) {
  const { t } = useTranslation('staffInventory');
  const retiring = useRetire();
  return (
    <BulkDialog
      {...dialog}
      title={t('retire.title')}
      text={t('retire.text')}
      action={t('retire.action')}
      isDangerous
      isWorking={retiring.isRunning}
      onConfirm={(seen) => retiring.run(seen, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

export function RestoreDialog({ onClose, ...dialog }: BulkDialogProps) {
  const { t } = useTranslation('staffInventory');
  const restoring = useRestore();
  return (
    <BulkDialog
      {...dialog}
      title={t('restore.title')}
      text={t('restore.text')}
      action={t('restore.action')}
      isWorking={restoring.isRunning}
      onConfirm={(seen) => restoring.run(seen, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

import type { StaffInvoiceDetail } from '@cellhop/contract/staff/invoices';
import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tickerOf } from '../invoices/ticker.ts';
import { isReason, ReasonField } from '../staff-parts/reason-field.tsx';
import { useSettleInvoice } from './api.ts';
import { type SettlementUnit, settlementWords, toSettledAmount } from './settlement.ts';

/** Credits a payment that is not on a chain. The amount is what is due, unless another one is entered. */
export function SettleForm({ invoice, onClose }: { invoice: StaffInvoiceDetail; onClose: () => void }) {
  const { t } = useTranslation(['staffMoney', 'common']);
  const { id, currency } = invoice;
  // As shown when the form opened, so that a payment that arrives later is not credited twice.
  const [due] = useState(invoice.due);
  const [unit, setUnit] = useState<SettlementUnit>('USD');
  const [text, setText] = useState(due > 0 ? String(due) : '');
  const [reason, setReason] = useState('');
  const settle = useSettleInvoice(id);
  const amount = toSettledAmount(unit, text);
  const confirmation = amount && settlementWords(amount, invoice, t);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (amount === undefined) return;
    if ((await settle.run({ ...amount, due, reason: reason.trim() })) !== undefined) onClose();
  }

  return (
    <form onSubmit={(event) => void submit(event)} aria-label={t('settle.open')}>
      <Stack>
        <Text>{t('settle.text')}</Text>
        <SegmentedControl
          aria-label={t('settle.unit')}
          data={[
            { value: 'USD', label: 'USD' },
            { value: 'CURRENCY', label: tickerOf(currency) },
          ]}
          value={unit}
          onChange={(value) => {
            setUnit(value === 'CURRENCY' ? 'CURRENCY' : 'USD');
            setText('');
          }}
        />
        <TextInput
          label={t('settle.amount', { unit: unit === 'USD' ? 'USD' : tickerOf(currency) })}
          inputMode="decimal"
          autoComplete="off"
          required
          value={text}
          error={text !== '' && amount === undefined ? t('amountInvalid') : undefined}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {confirmation !== undefined && <output>{confirmation.words}</output>}
        <ReasonField reason={reason} onChange={setReason} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" disabled={amount === undefined || !isReason(reason)} loading={settle.isRunning}>
            {confirmation?.action ?? t('settle.action')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

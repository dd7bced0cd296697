import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseAmount } from '../../format/amount.ts';
import { formatMoney } from '../../format/format.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ApprovalHint } from '../staff-parts/approval-hint.tsx';
import { isReason, ReasonField } from '../staff-parts/reason-dialog.tsx';
import type { SeenRow } from '../staff-parts/use-seen.ts';
import { useRefund } from './api.ts';

/** Gives back what a connection cost, or a part of it. */
export function RefundDialog({ seen }: { seen: SeenRow<StaffConnection> }) {
  const { t } = useTranslation('staffConnections');
  return (
    <Dialog isOpen={seen.isOpen} title={t('refund.title', { ip: seen.shown?.ip ?? '' })} size="sm" onClose={seen.close}>
      {seen.row !== undefined && <RefundForm connection={seen.row} onClose={seen.close} />}
    </Dialog>
  );
}

interface RefundFormProps {
  connection: StaffConnection;
  onClose: () => void;
}

function RefundForm({ connection, onClose }: RefundFormProps) {
  const { t } = useTranslation(['staffConnections', 'staffMoney', 'common']);
  // As shown when the form opened.
  const [{ paidFor, user }] = useState(connection);
  const [text, setText] = useState(String(paidFor));
  const [reason, setReason] = useState('');
  const refund = useRefund();
  const amount = parseAmount(text, { decimals: 6 });
  const isValid = amount !== undefined && amount > 0 && amount <= paidFor;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!isValid) return;
    if ((await refund.run({ connection, amount, reason: reason.trim() })) !== undefined) onClose();
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Text>{t('refund.text', { amount: formatMoney(paidFor), email: user.email })}</Text>
        <TextInput
          label={t('staffMoney:adjust.amount')}
          inputMode="decimal"
          autoComplete="off"
          required
          data-autofocus
          value={text}
          error={text !== '' && !isValid ? t('refund.tooMuch', { amount: formatMoney(paidFor) }) : undefined}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <ApprovalHint list="ADJUSTMENT" userId={user.id} amount={isValid ? amount : undefined} />
        <ReasonField reason={reason} onChange={setReason} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" disabled={!isValid || !isReason(reason)} loading={refund.isRunning}>
            {isValid ? t('refund.actionOf', { amount: formatMoney(amount) }) : t('refund.action')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import type { StaffConnection } from '@cellhop/contract/staff/connections';
import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '../../format/format.ts';
import { readNumber } from '../../format/number-kinds.ts';
import { NumberField } from '../../ui/number-field.tsx';
import { ApprovalHint } from '../staff-parts/approval-hint.tsx';
import { isReason, ReasonField } from '../staff-parts/reason-dialog.tsx';
import { useRefund } from './api.ts';
import classes from './refund-form.module.css';

interface RefundFormProps {
  connection: StaffConnection;
  onClose: () => void;
}

/** Gives back what a connection cost, or a part of it. */
export function RefundForm({ connection, onClose }: RefundFormProps) {
  const { t } = useTranslation(['staffConnections', 'staffMoney', 'common']);
  // As shown when the form opened.
  const [{ paidFor, user }] = useState(connection);
  const [text, setText] = useState(String(paidFor));
  const [reason, setReason] = useState('');
  const refund = useRefund(user.id);
  const bounds = { max: paidFor, isNonZero: true };
  const amount = readNumber('exactMoney', text, bounds).value;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (amount === undefined) return;
    if ((await refund.run({ connection, amount, reason: reason.trim() })) !== undefined) onClose();
  }

  return (
    <form
      className={classes['form']}
      aria-label={t('refund.of', { ip: connection.ip })}
      onSubmit={(event) => void submit(event)}
    >
      <Stack>
        <Text>{t('refund.text', { amount: formatMoney(paidFor), email: user.email })}</Text>
        <NumberField
          kind="exactMoney"
          {...bounds}
          label={t('staffMoney:adjust.amount')}
          required
          // A press on Refund opened the form.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <ApprovalHint list="ADJUSTMENT" userId={user.id} amount={amount} />
        <ReasonField reason={reason} onChange={setReason} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" disabled={amount === undefined || !isReason(reason)} loading={refund.isRunning}>
            {amount === undefined ? t('refund.action') : t('refund.actionOf', { amount: formatMoney(amount) })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { ApiError } from '@cellhop/contract/client';
import { STAFF_AMOUNT_DOLLARS_MAX } from '@cellhop/contract/limits';
import type { CreateAdjustmentBody } from '@cellhop/contract/staff/transactions';
import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callForData } from '../../data/http.ts';
import { apiQuery, staffDependencies } from '../../data/query.ts';
import { useAction } from '../../data/use-action.ts';
import { useApiQuery } from '../../data/use-api-query.ts';
import { formatMoney } from '../../format/format.ts';
import { readNumber } from '../../format/number-kinds.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { showToast } from '../../ui/toasts.ts';
import { balanceChangeAction, balanceChangeWords } from './amount-words.ts';
import { ApprovalHint, useWaiting } from './approval-hint.tsx';
import { isReason, ReasonField } from './reason-dialog.tsx';
import { usePermission } from './use-permission.ts';

interface AdjustDialogProps {
  user: { id: string; email: string };
  isOpen: boolean;
  onClose: () => void;
}

/** Changes the balance of a user, or asks for approval. */
export function AdjustDialog({ user, isOpen, onClose }: AdjustDialogProps) {
  const { t } = useTranslation('staffMoney');
  return (
    <Dialog isOpen={isOpen} title={t('adjust.title', { email: user.email })} onClose={onClose}>
      {isOpen && <AdjustForm user={user} onClose={onClose} />}
    </Dialog>
  );
}

/** Balance and holds of a user, in US dollars; undefined while they load, and without the permission. */
export function useFunds(userId: string): { balance: number; held: number } | undefined {
  const query = { userId, page: 1, size: 1 };
  const transactions = apiQuery('GET /v1/transactions/admin', { query }, staffDependencies('staff-transactions'));
  return useApiQuery(transactions, { isEnabled: usePermission('TRANSACTIONS_READ') }).response;
}

const bounds = { min: -STAFF_AMOUNT_DOLLARS_MAX, max: STAFF_AMOUNT_DOLLARS_MAX, isNonZero: true };

function AdjustForm({ user, onClose }: Pick<AdjustDialogProps, 'user' | 'onClose'>) {
  const { t } = useTranslation(['staffMoney', 'common']);
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const funds = useFunds(user.id);
  const adjust = useAdjust(user.id);
  const amount = readNumber('moneyChange', text, bounds).value;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (amount === undefined) return;
    if ((await adjust.run({ userId: user.id, amount, reason: reason.trim() })) !== undefined) onClose();
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Text>{t('adjust.text')}</Text>
        <NumberField
          kind="moneyChange"
          {...bounds}
          label={t('adjust.amount')}
          description={t('adjust.hint')}
          required
          data-autofocus
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {amount !== undefined && (
          <output>
            <strong>{balanceChangeWords(amount, user.email, t)}</strong>{' '}
            {funds !== undefined &&
              t('adjust.after', {
                before: formatMoney(funds.balance - funds.held),
                after: formatMoney(funds.balance - funds.held + amount),
              })}
          </output>
        )}
        <ApprovalHint list="ADJUSTMENT" userId={user.id} amount={amount} />
        <ReasonField reason={reason} onChange={setReason} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" disabled={amount === undefined || !isReason(reason)} loading={adjust.isRunning}>
            {amount === undefined ? t('adjust.action') : balanceChangeAction(amount, t)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useAdjust(userId: string) {
  const { t } = useTranslation('staffMoney');
  const waiting = useWaiting('ADJUSTMENT', userId);
  return useAction({
    call: (body: CreateAdjustmentBody, withKey) =>
      callForData('POST /v1/transactions/admin/adjustments', { body }, withKey()),
    successText: ({ status }) => (status === 'PENDING' ? waiting(t('request.made')) : t('adjust.done')),
    onError: (error) => {
      // The general text asks customers to top up.
      if (!(error instanceof ApiError) || error.code !== 'SMALL_BALANCE') return undefined;
      showToast('warning', t('adjust.tooMuch'));
      return 'HANDLED';
    },
    changes: ['staff-transactions', 'staff-users', 'staff-adjustments'],
  });
}

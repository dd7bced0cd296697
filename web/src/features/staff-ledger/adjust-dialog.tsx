import { STAFF_AMOUNT_DOLLARS_MAX } from '@cellhop/contract/limits';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { parseAmount } from '../../format/amount.ts';
import { formatMoney } from '../../format/format.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { balanceChangeAction, balanceChangeWords } from '../staff-parts/amount-words.ts';
import { isReason, ReasonField } from '../staff-parts/reason-field.tsx';
import { useAdjust } from './api.ts';

interface AdjustDialogProps {
  isOpen: boolean;
  user: { id: string; email: string };
  balance: number;
  held: number;
  onClose: () => void;
}

export function AdjustDialog(props: AdjustDialogProps) {
  const { t } = useTranslation('staffMoney');
  const { isOpen, user, onClose } = props;
  return (
    <Dialog isOpen={isOpen} title={t('adjust.title', { email: user.email })} onClose={onClose}>
      {isOpen && <AdjustForm {...props} />}
    </Dialog>
  );
}

function AdjustForm({ user, balance, held, onClose }: AdjustDialogProps) {
  const { t } = useTranslation(['staffMoney', 'common']);
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const adjust = useAdjust();
  const amount = parseAmount(text, { decimals: 6, isSigned: true });
  const isValid = amount !== undefined && amount !== 0 && Math.abs(amount) <= STAFF_AMOUNT_DOLLARS_MAX;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (!isValid) return;
    if ((await adjust.run({ userId: user.id, amount, reason: reason.trim() })) !== undefined) onClose();
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Text>{t('adjust.text')}</Text>
        <TextInput
          label={t('adjust.amount')}
          description={t('adjust.hint')}
          inputMode="text"
          autoComplete="off"
          required
          data-autofocus
          value={text}
          error={text !== '' && text !== '-' && !isValid ? t('amountInvalid') : undefined}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {isValid && (
          <output>
            <strong>{balanceChangeWords(amount, user.email, t)}</strong>{' '}
            {t('adjust.after', { before: formatMoney(balance - held), after: formatMoney(balance - held + amount) })}
          </output>
        )}
        <ReasonField reason={reason} onChange={setReason} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" disabled={!isValid || !isReason(reason)} loading={adjust.isRunning}>
            {isValid ? balanceChangeAction(amount, t) : t('adjust.action')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

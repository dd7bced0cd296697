import type { BudgetChange } from '@cellhop/contract/staff/traffic-budgets';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';

interface BudgetDialogProps {
  isOpen: boolean;
  title: string;
  isWorking: boolean;
  onSave: (change: BudgetChange) => void;
  onClose: () => void;
}

/** How much traffic an exit or a node shall carry in a month. */
export function BudgetDialog({ isOpen, title, ...form }: BudgetDialogProps) {
  return (
    <Dialog isOpen={isOpen} title={title} size="sm" onClose={form.onClose}>
      {isOpen && <BudgetForm {...form} />}
    </Dialog>
  );
}

/** A petabyte, as the API. */
const GIGABYTES_MAX = 1_048_576;

function BudgetForm({ isWorking, onSave, onClose }: Omit<BudgetDialogProps, 'isOpen' | 'title'>) {
  const { t } = useTranslation(['staffInventory', 'common']);
  const [text, setText] = useState('');
  const gigabytes = text.trim() === '' ? null : Number(text);
  const isValid = gigabytes === null || (/^[1-9]\d*$/.test(text.trim()) && gigabytes <= GIGABYTES_MAX);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) onSave({ gigabytes });
      }}
    >
      <Stack>
        <Text>{t('budget.text')}</Text>
        <TextInput
          label={t('budget.gigabytes')}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
          value={text}
          error={isValid ? undefined : t('budget.invalid')}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" disabled={!isValid} loading={isWorking}>
            {t('budget.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import type { ApiError } from '@cellhop/contract/client';
import type { TrafficChange, TrafficTerms } from '@cellhop/contract/staff/traffic-budgets';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { UseQueryOptions } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApiQuery } from '../../data/use-api-query.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';

interface FormProps {
  isWorking: boolean;
  onSave: (change: TrafficChange) => void;
  onClose: () => void;
}

interface BudgetDialogProps extends FormProps {
  isOpen: boolean;
  title: string;
  /** What is stored. */
  query: UseQueryOptions<{ data: TrafficTerms }, ApiError>;
}

/** How much traffic an exit or a node shall carry in a month. */
export function BudgetDialog({ isOpen, title, query, ...form }: BudgetDialogProps) {
  return (
    <Dialog isOpen={isOpen} title={title} size="sm" onClose={form.onClose}>
      {isOpen && <StoredBudget query={query} {...form} />}
    </Dialog>
  );
}

function StoredBudget({ query, ...form }: FormProps & Pick<BudgetDialogProps, 'query'>) {
  const { t } = useTranslation(['staffInventory', 'common']);
  // Each time from the API: what was stored when the dialog was open before may have changed.
  const { response, failure } = useApiQuery({ ...query, gcTime: 0 });
  if (failure) return <LoadFailure text={t('budget.failed')} {...failure} />;
  if (response === undefined) return <Text component="output">{t('common:loading')}</Text>;
  return <BudgetForm stored={response.data} {...form} />;
}

/** A petabyte, as the API. */
const GIGABYTES_MAX = 1_048_576;

function BudgetForm({ stored, isWorking, onSave, onClose }: FormProps & { stored: TrafficTerms }) {
  const { t } = useTranslation(['staffInventory', 'common']);
  // What the member of staff has seen: only what they have changed is sent.
  const [seen] = useState(stored);
  const [text, setText] = useState(seen.gigabytes?.toString() ?? '');
  const gigabytes = text.trim() === '' ? null : Number(text);
  const isValid = gigabytes === null || (/^[1-9]\d*$/.test(text.trim()) && gigabytes <= GIGABYTES_MAX);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isValid) return;
    if (gigabytes === seen.gigabytes) onClose();
    else onSave({ gigabytes });
  }

  return (
    <form onSubmit={submit}>
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

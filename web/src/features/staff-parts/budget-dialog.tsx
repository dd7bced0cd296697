import type { ApiError } from '@cellhop/contract/client';
import type { TrafficChange, TrafficTerms } from '@cellhop/contract/staff/traffic-budgets';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { UseQueryOptions } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApiQuery } from '../../data/use-api-query.ts';
import { formatDecimal } from '../../format/format.ts';
import { readNumber } from '../../format/number-kinds.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { LoadFailure } from '../../ui/list-state.tsx';
import { NumberField } from '../../ui/number-field.tsx';

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

/** How much traffic an exit or a node shall carry in a month, and what it costs. */
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
const gigabytesBounds = { min: 1, max: 1_048_576 };
const costBounds = { max: 1000 };

function BudgetForm({ stored, isWorking, onSave, onClose }: FormProps & { stored: TrafficTerms }) {
  const { t } = useTranslation(['staffInventory', 'common']);
  // What the member of staff has seen: only what they have changed is sent.
  const [seen] = useState(stored);
  const [gigabytesText, setGigabytesText] = useState(seen.gigabytes?.toString() ?? '');
  const [costText, setCostText] = useState(
    seen.costPerGigabyte === null ? '' : formatDecimal(`${seen.costPerGigabyte}`),
  );
  const gigabytes = readNumber('count', gigabytesText, gigabytesBounds);
  const cost = readNumber('exactMoney', costText, costBounds);
  const isValid = gigabytes.fault === undefined && cost.fault === undefined;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isValid) return;
    const typed: TrafficTerms = { gigabytes: gigabytes.value ?? null, costPerGigabyte: cost.value ?? null };
    const change: TrafficChange = {
      ...(typed.gigabytes !== seen.gigabytes && { gigabytes: typed.gigabytes }),
      ...(typed.costPerGigabyte !== seen.costPerGigabyte && { costPerGigabyte: typed.costPerGigabyte }),
    };
    if (Object.keys(change).length === 0) onClose();
    else onSave(change);
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t('budget.text')}</Text>
        <NumberField
          kind="count"
          {...gigabytesBounds}
          label={t('budget.gigabytes')}
          data-autofocus
          value={gigabytesText}
          onChange={({ currentTarget }) => setGigabytesText(currentTarget.value)}
        />
        <NumberField
          kind="exactMoney"
          {...costBounds}
          label={t('budget.cost')}
          description={t('budget.costHint')}
          value={costText}
          onChange={({ currentTarget }) => setCostText(currentTarget.value)}
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

import { REASON_LENGTH_MAX, REASON_LENGTH_MIN } from '@cellhop/contract/limits';
import type { InventoryProxy } from '@cellhop/contract/staff/inventory';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useChangeLimits } from './api.ts';
import { type LimitTexts, parseLimits, toLimitTexts } from './limit-texts.ts';

interface LimitsDialogProps {
  /** Undefined: closed. */
  proxy: InventoryProxy | undefined;
  onClose: () => void;
}

/** Changes what one proxy limits. */
export function LimitsDialog({ proxy: shown, onClose }: LimitsDialogProps) {
  const { t } = useTranslation('staffInventory');
  const proxy = useLastDefined(shown);
  return (
    <Dialog isOpen={shown !== undefined} title={t('limits.title', { ip: proxy?.ip ?? '' })} size="sm" onClose={onClose}>
      {shown !== undefined && <LimitsForm key={shown.id} proxy={shown} onClose={onClose} />}
    </Dialog>
  );
}

const fields = ['ports', 'tunnels', 'megabits'] as const;

function LimitsForm({ proxy: { id, limits }, onClose }: { proxy: InventoryProxy; onClose: () => void }) {
  const { t } = useTranslation(['staffInventory', 'staff', 'common']);
  const changing = useChangeLimits();
  const [texts, setTexts] = useState<LimitTexts>(() => toLimitTexts(limits));
  const [reason, setReason] = useState('');
  const { ports, tunnels, megabits } = parseLimits(texts);
  const given = reason.trim();
  const isReasonValid = given === '' || given.length >= REASON_LENGTH_MIN;
  const isReady = ports !== undefined && tunnels !== undefined && megabits !== undefined && isReasonValid;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!isReady) return;
    const change = { ports, tunnels, bytesPerSecond: megabits, reason: given === '' ? undefined : given };
    void changing.run({ id, change }, { onSuccess: onClose });
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t('limits.text')}</Text>
        {fields.map((field) => (
          <TextInput
            key={field}
            label={t(`limits.${field}`)}
            description={t(`limits.${field}Hint`)}
            placeholder={t('limits.setting')}
            autoComplete="off"
            value={texts[field]}
            error={parseLimits(texts)[field] === undefined ? t(`limits.${field}Invalid`) : undefined}
            onChange={({ currentTarget }) => setTexts({ ...texts, [field]: currentTarget.value })}
          />
        ))}
        <TextInput
          label={t('staff:reason.optional')}
          value={reason}
          maxLength={REASON_LENGTH_MAX}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" disabled={!isReady} loading={changing.isRunning}>
            {t('limits.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

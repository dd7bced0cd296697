import { REASON_LENGTH_MAX, REASON_LENGTH_MIN } from '@cellhop/contract/limits';
import type { InventoryProxy } from '@cellhop/contract/staff/inventory';
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLastDefined } from '../../hooks/use-last-value.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { useChangeRotation } from './api.ts';
import { parseRotation, type RotationTexts } from './rotation-texts.ts';

interface RotationDialogProps {
  /** Undefined: closed. */
  proxy: InventoryProxy | undefined;
  onClose: () => void;
}

/** The link of the farm that changes the address of a proxy's exit. A stored link is never shown again. */
export function RotationDialog({ proxy: shown, onClose }: RotationDialogProps) {
  const { t } = useTranslation('staffInventory');
  const proxy = useLastDefined(shown);
  return (
    <Dialog
      isOpen={shown !== undefined}
      title={t('rotation.title', { ip: proxy?.ip ?? '' })}
      size="sm"
      onClose={onClose}
    >
      {shown !== undefined && <RotationForm key={shown.id} proxy={shown} onClose={onClose} />}
    </Dialog>
  );
}

const REMOVED = { link: null, cooldownSeconds: null, changesPerHour: null };
const fields = ['url', 'headerName', 'headerValue', 'cooldown', 'perHour'] as const;

function RotationForm({ proxy: { exit, rotation }, onClose }: { proxy: InventoryProxy; onClose: () => void }) {
  const { t } = useTranslation(['staffInventory', 'staff', 'common']);
  const changing = useChangeRotation();
  const [reason, setReason] = useState('');
  const [texts, setTexts] = useState<RotationTexts>({
    method: 'GET',
    url: '',
    headerName: '',
    headerValue: '',
    cooldown: String(rotation?.cooldownSeconds ?? ''),
    perHour: String(rotation?.changesPerHour ?? ''),
  });
  const { invalid, change } = parseRotation(texts, rotation != null);
  const given = reason.trim();
  const isReady = change !== undefined && (given === '' || given.length >= REASON_LENGTH_MIN);
  const save = (chosen: NonNullable<typeof change>) => {
    const body = { ...chosen, ...(given !== '' && { reason: given }) };
    void changing.run({ exitId: exit.id, body }, { onSuccess: onClose });
  };

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isReady) save(change);
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t(rotation == null ? 'rotation.text' : 'rotation.stored')}</Text>
        <NativeSelect
          label={t('rotation.method')}
          data={['GET', 'POST']}
          value={texts.method}
          onChange={({ currentTarget }) =>
            setTexts({ ...texts, method: currentTarget.value === 'POST' ? 'POST' : 'GET' })
          }
        />
        {fields.map((field) => (
          <TextInput
            key={field}
            label={t(`rotation.${field}`)}
            autoComplete="off"
            spellCheck={false}
            value={texts[field]}
            error={invalid.has(field) ? t('rotation.invalid') : undefined}
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
          {rotation != null && (
            <Button variant="default" loading={changing.isRunning} onClick={() => save(REMOVED)}>
              {t('rotation.remove')}
            </Button>
          )}
          <Button type="submit" disabled={!isReady} loading={changing.isRunning}>
            {t('limits.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

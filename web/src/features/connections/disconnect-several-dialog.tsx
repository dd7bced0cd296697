import type { Connection } from '@cellhop/contract/connections';
import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { destructive } from '../../ui/destructive.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { useActiveConnections, useDisconnectSeveral } from './api.ts';

interface DisconnectSeveralDialogProps {
  isOpen: boolean;
  onClose: () => void;
}

/** The user chooses open connections and confirms once. */
export function DisconnectSeveralDialog({ isOpen, onClose }: DisconnectSeveralDialogProps) {
  const { t } = useTranslation('proxyConnection');
  return (
    <Dialog isOpen={isOpen} title={t('several.title')} onClose={onClose}>
      {isOpen && <Choice onClose={onClose} />}
    </Dialog>
  );
}

function Choice({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['proxyConnection', 'common']);
  const { rows, failure } = useActiveConnections(true);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const ending = useDisconnectSeveral();
  if (failure !== undefined) return <LoadFailure text={t('table.failed')} {...failure} />;
  if (rows?.length === 0) return <EmptyList text={t('several.none')} />;
  // Some may have ended since they were chosen.
  const ids = (rows ?? []).map(({ id }) => id).filter((id) => chosen.includes(id));
  const all = rows?.length ?? 0;

  async function disconnect() {
    if ((await ending.run(ids)) !== undefined) onClose();
  }

  return (
    <Stack>
      <Text>{t('several.text')}</Text>
      <Checkbox
        label={t('several.all', { count: all })}
        checked={ids.length === all && all > 0}
        indeterminate={ids.length > 0 && ids.length < all}
        onChange={({ currentTarget }) => setChosen(currentTarget.checked ? (rows ?? []).map(({ id }) => id) : [])}
      />
      <Stack gap="xs" pl="lg">
        {rows?.map((connection) => (
          <Checkbox
            key={connection.id}
            label={connectionName(connection)}
            checked={ids.includes(connection.id)}
            onChange={({ currentTarget: { checked } }) =>
              setChosen(checked ? [...ids, connection.id] : ids.filter((id) => id !== connection.id))
            }
          />
        ))}
      </Stack>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button
          {...destructive.confirms}
          disabled={ids.length === 0}
          loading={ending.isRunning}
          onClick={() => void disconnect()}
        >
          {t('several.action', { count: ids.length })}
        </Button>
      </Group>
    </Stack>
  );
}

/** The name of a connection in a list: its label, if any, and its location. */
function connectionName({ label, ip, city, countryCode }: Pick<Connection, 'label' | 'ip' | 'city' | 'countryCode'>) {
  const place = `${ip} · ${city}, ${countryCode}`;
  return label === '' ? place : `${label} · ${place}`;
}

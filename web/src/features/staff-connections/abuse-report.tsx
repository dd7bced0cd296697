import { ApiError } from '@cellhop/contract/client';
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { formatDate } from '../../format/format.ts';
import { DateTimeField } from '../../ui/date-field.tsx';
import { destructive } from '../../ui/destructive.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { addressParameter } from '../staff-parts/address-parameter.ts';
import { usePermission } from '../staff-parts/use-permission.ts';
import { useRefuse } from '../staff-parts/use-refuse.ts';
import { Holders } from './address-holders.tsx';
import { toMoment } from './api.ts';

/** Somebody complains about an address: whose connection had it, and what nobody may reach any more. */
export function AbuseReport() {
  const { t } = useTranslation('staffConnections');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('abuse.title')}
      </Button>
      <Dialog isOpen={isOpen} title={t('abuse.title')} onClose={() => setOpen(false)}>
        {isOpen && <ReportForm onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

function ReportForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['staffConnections', 'common']);
  const [address, setAddress] = useState('');
  const [time, setTime] = useState('');
  const [destination, setDestination] = useState('');
  const [traced, setTraced] = useState<{ ip: string; time: string }>();
  const canRefuse = usePermission('PROXIES_EDIT');
  const ip = addressParameter(address);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ip !== undefined && time !== '') setTraced({ ip, time });
      }}
    >
      <Stack>
        <Text size="sm">{t('abuse.text')}</Text>
        <TextInput
          label={t('common:location.ip')}
          autoComplete="off"
          spellCheck={false}
          required
          data-autofocus
          value={address}
          error={address !== '' && ip === undefined ? t('filter.addressInvalid') : undefined}
          onChange={({ currentTarget }) => {
            setAddress(currentTarget.value);
            setTraced(undefined);
          }}
        />
        <DateTimeField
          label={t('filter.at')}
          value={time}
          onChange={(chosen) => {
            setTime(chosen ?? '');
            setTraced(undefined);
          }}
        />
        {canRefuse && (
          <TextInput
            label={t('abuse.destination')}
            description={t('abuse.destinationHint')}
            autoComplete="off"
            spellCheck={false}
            maxLength={300}
            value={destination}
            onChange={({ currentTarget }) => setDestination(currentTarget.value)}
          />
        )}
        {traced && <Holders {...traced} />}
        {traced && destination.trim() !== '' && (
          <RefuseButton {...traced} destination={destination} onRefused={onClose} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:cancel')}
          </Button>
          <Button type="submit" disabled={ip === undefined || time === ''}>
            {t('abuse.trace')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface RefuseButtonProps {
  ip: string;
  time: string;
  destination: string;
  onRefused: () => void;
}

function RefuseButton({ ip, time, destination, onRefused }: RefuseButtonProps) {
  const { t } = useTranslation(['staffConnections', 'staffDestinations']);
  const refusing = useRefuse();
  const { error } = refusing;
  const at = toMoment(time);
  const reason = t('abuse.reason', { ip, date: formatDate(at) });
  return (
    <>
      {error !== null && (
        <Alert role="alert" color="red" variant="light">
          {error instanceof ApiError && error.code === 'VALIDATION'
            ? t('staffDestinations:refuse.invalid')
            : errorText(error)}
        </Alert>
      )}
      <Button
        {...destructive.opens}
        loading={refusing.isRunning}
        onClick={() => void refusing.run({ destination, reason, complaint: { ip, at } }, { onSuccess: onRefused })}
      >
        {t('abuse.refuse', { destination: destination.trim() })}
      </Button>
    </>
  );
}

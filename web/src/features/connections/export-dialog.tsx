import { type ConnectionFileFormat, connectionFileFormats } from '@cellhop/contract/connections.values';
import { PAGE_SIZE_MAX } from '@cellhop/contract/limits';
import { Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyList, LoadFailure } from '../../ui/list-state.tsx';
import { useActiveConnections, useExportConnections } from './api.ts';

interface ExportDialogProps {
  isOpen: boolean;
  onClose: () => void;
}

/** All open connections as a file for other programs. */
export function ExportDialog({ isOpen, onClose }: ExportDialogProps) {
  const { t } = useTranslation('proxyConnection');
  return (
    <Dialog isOpen={isOpen} title={t('export.title')} size="sm" onClose={onClose}>
      {isOpen && <Formats onDone={onClose} />}
    </Dialog>
  );
}

function Formats({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation('proxyConnection');
  const { rows, failure } = useActiveConnections(true);
  const [format, setFormat] = useState<ConnectionFileFormat>('txt');
  const exporting = useExportConnections();
  if (failure !== undefined) return <LoadFailure text={t('table.failed')} {...failure} />;
  if (rows?.length === 0) return <EmptyList text={t('several.none')} />;
  return (
    <Stack>
      <SegmentedControl
        aria-label={t('export.format')}
        data={connectionFileFormats.map((value) => ({ value, label: value.toUpperCase() }))}
        value={format}
        onChange={setFormat}
      />
      <Text size="sm" c="dimmed">
        {t(`export.formats.${format}`)} {t('export.secret')}
      </Text>
      <Button
        leftSection={<IconDownload size={17} aria-hidden="true" />}
        loading={rows === undefined || exporting.isRunning}
        onClick={() => void exporting.run(format, { onSuccess: onDone })}
      >
        {rows?.length === PAGE_SIZE_MAX ? t('export.all') : t('export.action', { count: rows?.length ?? 0 })}
      </Button>
    </Stack>
  );
}

import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import type { TicketFile, TicketMessage } from '@cellhop/contract/tickets';
import { IconPaperclip } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { downloadBlob } from '../../data/download-text.ts';
import { authorizedFetch } from '../../data/http.ts';
import { useAction } from '../../data/use-action.ts';
import { BusyButton } from '../../ui/plain-button.tsx';
import classes from './files.module.css';
import { Preview } from './preview.tsx';

const TIMEOUT_MS = 120_000;

interface MessageFilesProps {
  message: Pick<TicketMessage, 'files'>;
  /** The path of the ticket in the API, of the reader's side. */
  ticketPath: string;
}

/** The files of a message; a click saves one. */
export function MessageFiles({ message: { files }, ticketPath }: MessageFilesProps) {
  const { t } = useTranslation('support');
  const sizeOf = useFileSize();
  const load = async ({ id }: TicketFile) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return (await authorizedFetch(`${ticketPath}/files/${id}`, { signal })).blob();
  };
  const saving = useAction({
    call: load,
    onSuccess: (content, { name }) => downloadBlob(name, content),
  });
  if (files.length === 0) return null;
  return (
    <ul className={classes['sent']} aria-label={t('files.sent')}>
      {files.map((file) => (
        <li key={file.id}>
          <BusyButton
            data-loading={(saving.isRunning && saving.input?.id === file.id) || undefined}
            onClick={() => void saving.run(file)}
          >
            {file.type.startsWith('image/') ? (
              <Preview load={() => load(file)} />
            ) : (
              <IconPaperclip size={16} stroke={1.6} aria-hidden="true" />
            )}
            <span className={classes['name']}>{file.name}</span>{' '}
            <span className={classes['size']}>{sizeOf(file.size)}</span>
          </BusyButton>
        </li>
      ))}
    </ul>
  );
}

/** @returns a function that writes a size as people read it */
export function useFileSize(): (bytes: number) => string {
  const { t } = useTranslation('support');
  return (bytes) =>
    bytes >= BYTES_PER_MEGABYTE
      ? t('files.megabytes', { value: (bytes / BYTES_PER_MEGABYTE).toFixed(1) })
      : t('files.kilobytes', { value: Math.max(1, Math.round(bytes / 1024)) });
}

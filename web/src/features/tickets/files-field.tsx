import { TICKET_FILE_BYTES_MAX, TICKET_FILES_PER_MESSAGE_MAX } from '@cellhop/contract/limits';
import type { TicketFile } from '@cellhop/contract/tickets';
import { IconPaperclip, IconX } from '@tabler/icons-react';
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { plainButtonClass } from '../../ui/plain-button.tsx';
import { showToast } from '../../ui/toasts.ts';
import hidden from '../../ui/visually-hidden.module.css';
import classes from './files.module.css';
import { useFileSize } from './message-files.tsx';
import { Preview } from './preview.tsx';

interface ChosenFile {
  key: number;
  content: File;
  name: string;
  size: number;
  /** Once it is uploaded. */
  id?: string;
  error?: string;
}

/** Files of the next message: chosen, dropped or pasted, and uploaded one after the other. */
export function useFilesToSend(upload: (file: File) => Promise<Pick<TicketFile, 'id' | 'name' | 'size'>>) {
  const { t } = useTranslation('support');
  const [chosen, setChosen] = useState<ChosenFile[]>([]);
  const lastKey = useRef(0);
  const removed = useRef(new Set<number>());
  const queue = useRef(Promise.resolve());

  const change = (key: number, values: Partial<ChosenFile>) =>
    setChosen((files) => files.map((file) => (file.key === key ? { ...file, ...values } : file)));

  async function send(key: number, file: File): Promise<void> {
    if (removed.current.has(key)) return;
    try {
      const { id, name, size } = await upload(file);
      change(key, { id, name, size });
    } catch (error) {
      change(key, { error: errorText(error) });
    }
  }

  function add(files: readonly File[]): void {
    const room = TICKET_FILES_PER_MESSAGE_MAX - chosen.length;
    if (files.length > room) showToast('warning', t('files.tooMany', { count: TICKET_FILES_PER_MESSAGE_MAX }));
    for (const file of files.slice(0, room)) {
      const key = (lastKey.current += 1);
      const isTooLarge = file.size > TICKET_FILE_BYTES_MAX;
      const { name, size } = file;
      setChosen((others) => [
        ...others,
        { key, content: file, name, size, ...(isTooLarge && { error: t('files.tooLarge') }) },
      ]);
      if (!isTooLarge) queue.current = queue.current.then(() => send(key, file));
    }
  }

  function take(event: DragEvent | ClipboardEvent, data: DataTransfer): void {
    if (data.files.length === 0) return;
    event.preventDefault();
    add([...data.files]);
  }

  return {
    chosen,
    add,
    remove: (key: number) => {
      removed.current.add(key);
      setChosen((files) => files.filter((file) => file.key !== key));
    },
    clear: () => setChosen([]),
    /** None is being uploaded, and none was refused. */
    isReady: chosen.every(({ id }) => id !== undefined),
    /** Their part of the message. */
    body: chosen.length === 0 ? {} : { fileIds: chosen.flatMap(({ id }) => id ?? []) },
    /** Of the form. */
    handlers: {
      onPaste: (event: ClipboardEvent) => take(event, event.clipboardData),
      onDrop: (event: DragEvent) => take(event, event.dataTransfer),
      onDragOver: (event: DragEvent) => {
        // Without it the browser would open the file.
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      },
    },
  };
}

/** Files of the first message of a ticket that does not exist yet: they are uploaded once it does. */
export function useFilesToKeep() {
  const kept = useRef(new Map<string, File>());
  const files = useFilesToSend((file) => {
    const id = String(kept.current.size);
    kept.current.set(id, file);
    return Promise.resolve({ id, name: file.name, size: file.size });
  });
  return { ...files, contents: () => files.chosen.flatMap(({ id }) => kept.current.get(id ?? '') ?? []) };
}

export function FilesField({ files }: { files: Omit<ReturnType<typeof useFilesToSend>, 'body'> }) {
  const { t } = useTranslation('support');
  const sizeOf = useFileSize();
  return (
    <div className={classes['field']}>
      {files.chosen.length > 0 && (
        <ul className={classes['chosen']} aria-label={t('files.chosen')}>
          {files.chosen.map(({ key, content, name, size, id, error }) => (
            <li key={key} data-invalid={error !== undefined} aria-busy={id === undefined && error === undefined}>
              {content.type.startsWith('image/') && <Preview load={() => Promise.resolve(content)} />}
              <span className={classes['name']}>{name}</span>
              <span className={classes['size']} role={error === undefined ? undefined : 'alert'}>
                {error ?? (id === undefined ? t('files.uploading') : sizeOf(size))}
              </span>
              <IconButton aria-label={t('files.remove', { name })} onClick={() => files.remove(key)}>
                <IconX size={16} aria-hidden="true" />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <div className={classes['choose']}>
        <label className={plainButtonClass({ isQuiet: true, isCompact: true })}>
          <input
            type="file"
            multiple
            accept=".png,.jpg,.jpeg,.webp,.pdf,.txt,.log"
            className={hidden['visuallyHidden']}
            onChange={({ currentTarget }) => {
              files.add([...(currentTarget.files ?? [])]);
              // The same file can be chosen again.
              currentTarget.value = '';
            }}
          />
          <IconPaperclip size={17} stroke={1.6} aria-hidden="true" />
          {t('files.attach')}
        </label>
        <span className={classes['hint']}>{t('files.hint')}</span>
      </div>
    </div>
  );
}

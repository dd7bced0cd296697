import { IconFileCheck, IconFileUpload } from '@tabler/icons-react';
import { type DragEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './file-field.module.css';
import hidden from './visually-hidden.module.css';

interface FileFieldProps {
  label: string;
  /** Of the files that the browser offers. Any file can be dropped: the form checks what is in it. */
  accept: string;
  file: File | undefined;
  error?: string | undefined;
  onChoose: (file: File) => void;
}

/** A file to choose or to drop. The browser's own button would be in the language of the browser. */
export function FileField({ label, accept, file, error, onChoose }: FileFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const [isOver, dropping] = useDrop(onChoose);
  const Icon = file === undefined ? IconFileUpload : IconFileCheck;
  return (
    <div className={classes['field']}>
      <span id={`${id}-label`} className={classes['label']}>
        {label}
      </span>
      <label className={classes['zone']} data-over={isOver} data-invalid={error !== undefined} {...dropping}>
        <input
          type="file"
          className={hidden['visuallyHidden']}
          accept={accept}
          aria-labelledby={`${id}-label`}
          aria-describedby={error === undefined ? `${id}-text` : `${id}-text ${id}-error`}
          aria-invalid={error !== undefined}
          onChange={({ currentTarget }) => {
            const chosen = currentTarget.files?.[0];
            if (chosen !== undefined) onChoose(chosen);
            // The same file can be chosen again, after it was corrected.
            currentTarget.value = '';
          }}
        />
        <Icon size={26} stroke={1.5} aria-hidden="true" />
        <span id={`${id}-text`}>
          {file === undefined ? (
            <>
              <strong>{t('file.choose')}</strong> <span className={classes['drop']}>{t('file.drop')}</span>
            </>
          ) : (
            <>
              <strong>{file.name}</strong> <span className={classes['other']}>{t('file.other')}</span>
            </>
          )}
        </span>
      </label>
      {error !== undefined && (
        <p id={`${id}-error`} className={classes['error']}>
          {error}
        </p>
      )}
    </div>
  );
}

/** Whether a file is over the element, and the element's handlers. */
function useDrop(onDrop: (file: File) => void) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    // Without it the browser would open the file.
    event.preventDefault();
    setOver(true);
  };
  const handlers = {
    onDragEnter: over,
    onDragOver: over,
    onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
      // Not when the pointer moves to a part of the element.
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer.files[0];
      if (file !== undefined) onDrop(file);
    },
  };
  return [isOver, handlers] as const;
}

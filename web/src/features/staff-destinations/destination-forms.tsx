import { ApiError } from '@cellhop/contract/client';
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../data/error-text.ts';
import { formatCount } from '../../format/format.ts';
import { FileField } from '../../ui/file-field.tsx';
import { isReason, ReasonField } from '../staff-parts/reason-dialog.tsx';
import { useRefuse } from '../staff-parts/use-refuse.ts';
import { useImportList } from './api.ts';

const isInvalid = (error: Error | null) => error instanceof ApiError && error.code === 'VALIDATION';

/** One destination, with the reason for the audit log. */
export function RefuseForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('staffDestinations');
  const refusing = useRefuse();
  const [destination, setDestination] = useState('');
  const [reason, setReason] = useState('');
  return (
    <Form
      action={t('refuse.action')}
      isReady={destination.trim() !== '' && isReason(reason)}
      isWorking={refusing.isRunning}
      error={isInvalid(refusing.error) ? null : refusing.error}
      onSubmit={() => void refusing.run({ destination, reason: reason.trim() }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        label={t('destination')}
        description={t('refuse.hint')}
        placeholder="example.com"
        autoComplete="off"
        spellCheck={false}
        required
        maxLength={300}
        data-autofocus
        value={destination}
        error={
          isInvalid(refusing.error) && refusing.input?.destination === destination ? t('refuse.invalid') : undefined
        }
        onChange={({ currentTarget }) => setDestination(currentTarget.value)}
      />
      <ReasonField reason={reason} onChange={setReason} />
    </Form>
  );
}

/** A file that replaces the list with this name. */
export function ImportListForm({ list, onClose }: { list: string | undefined; onClose: () => void }) {
  const { t } = useTranslation('staffDestinations');
  const importing = useImportList();
  const [name, setName] = useState(list ?? '');
  const [file, setFile] = useState<File>();
  const { errors = [], errorCount = 0 } = importing.result ?? {};
  const isEmptyFile = isInvalid(importing.error);

  async function submit(): Promise<void> {
    if (file === undefined) return;
    const imported = await importing.run({ list: name.trim(), file });
    if (imported?.errorCount === 0) onClose();
  }

  return (
    <Form
      action={t('import.action')}
      isReady={name.trim() !== '' && file !== undefined}
      isWorking={importing.isRunning}
      error={isEmptyFile ? null : importing.error}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Text size="sm">{t('import.text')}</Text>
      <TextInput
        label={t('import.name')}
        autoComplete="off"
        required
        maxLength={60}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <FileField
        label={t('import.file')}
        accept=".txt,.csv,.hosts,text/plain"
        file={file}
        error={isEmptyFile ? t('import.empty') : undefined}
        onChoose={(chosen) => {
          setFile(chosen);
          importing.reset();
        }}
      />
      {errorCount > 0 && (
        <Alert
          role="alert"
          color="red"
          variant="light"
          title={t('import.wrong', { count: errorCount, number: formatCount(errorCount) })}
        >
          <ul>
            {errors.map(({ line, text }) => (
              <li key={line}>{t('import.line', { line, text })}</li>
            ))}
          </ul>
        </Alert>
      )}
    </Form>
  );
}

interface FormProps {
  action: string;
  isReady: boolean;
  isWorking: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

function Form({ action, isReady, isWorking, error, onSubmit, onClose, children }: FormProps) {
  const { t } = useTranslation();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Stack>
        {error !== null && (
          <Alert role="alert" color="red" variant="light">
            {errorText(error)}
          </Alert>
        )}
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" disabled={!isReady} loading={isWorking}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

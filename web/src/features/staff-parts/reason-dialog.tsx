import { REASON_LENGTH_MAX, REASON_LENGTH_MIN } from '@cellhop/contract/limits';
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { destructive } from '../../ui/destructive.ts';
import { Dialog } from '../../ui/dialog.tsx';
import type { RowSnapshot } from './use-row-snapshot.ts';

interface ReasonDialogProps extends ReasonFormProps {
  isOpen: boolean;
  title: string;
}

export interface ReasonFormProps {
  text: ReactNode;
  /** Label of the confirm button. */
  action: string;
  isDangerous?: boolean;
  /** The reason may be left out. */
  isOptional?: boolean;
  /** A field in `text` has no value yet. */
  isIncomplete?: boolean;
  isWorking: boolean;
  /** @param reason undefined if it was left out */
  onConfirm: (reason: string | undefined) => void;
  onClose: () => void;
}

/** Asks for confirmation, and for the reason that is kept in the audit log. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { isOpen, title, onClose } = props;
  return (
    <Dialog isOpen={isOpen} title={title} size="sm" isBrief onClose={onClose}>
      {isOpen && <ReasonForm {...props} />}
    </Dialog>
  );
}

interface RowReasonDialogProps<Row> extends Omit<ReasonDialogProps, 'isOpen' | 'onConfirm' | 'onClose'> {
  snapshot: RowSnapshot<Row>;
  onConfirm: (row: Row, reason: string | undefined) => Promise<unknown>;
}

/** For a row of a list. It closes after a failure too: the list shows the current row. */
export function RowReasonDialog<Row>({
  snapshot: { row, isOpen, close },
  onConfirm,
  ...dialog
}: RowReasonDialogProps<Row>) {
  async function confirm(reason: string | undefined): Promise<void> {
    if (row === undefined) return;
    await onConfirm(row, reason);
    close();
  }

  return <ReasonDialog {...dialog} isOpen={isOpen} onConfirm={(reason) => void confirm(reason)} onClose={close} />;
}

/** The text, the reason and the button of a dialog. */
export function ReasonForm(props: ReasonFormProps) {
  const { text, action, isDangerous, isOptional, isIncomplete = false, isWorking, onConfirm, onClose } = props;
  const { t } = useTranslation();
  const [reason, setReason] = useState('');
  const given = reason.trim();
  const isLeftOut = isOptional === true && given === '';

  function submit(event: FormEvent): void {
    event.preventDefault();
    onConfirm(isLeftOut ? undefined : given);
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text component="div">{text}</Text>
        <ReasonField reason={reason} isOptional={isOptional} hasFocus onChange={setReason} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button
            type="submit"
            {...(isDangerous && destructive.confirms)}
            disabled={isIncomplete || (!isLeftOut && !isReason(reason))}
            loading={isWorking}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface ReasonFieldProps {
  reason: string;
  /** It may be left out. */
  isOptional?: boolean | undefined;
  /** The dialog opens with the focus in it. */
  hasFocus?: boolean;
  /** What is wrong with it, in forms that say so. */
  error?: string | undefined;
  onChange: (reason: string) => void;
}

/** The reason of a change, for the audit log. */
export function ReasonField({ reason, isOptional = false, hasFocus = false, error, onChange }: ReasonFieldProps) {
  const { t } = useTranslation('staff');
  return (
    <Textarea
      label={t(isOptional ? 'reason.optional' : 'reason.label')}
      description={t('reason.hint')}
      value={reason}
      error={error}
      maxLength={REASON_LENGTH_MAX}
      required={!isOptional}
      autosize
      minRows={2}
      maxRows={6}
      data-autofocus={hasFocus || undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export function isReason(reason: string): boolean {
  return reason.trim().length >= REASON_LENGTH_MIN;
}

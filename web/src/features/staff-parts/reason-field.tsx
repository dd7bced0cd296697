import { REASON_LENGTH_MAX, REASON_LENGTH_MIN } from '@cellhop/contract/limits';
import { Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface ReasonFieldProps {
  reason: string;
  /** It may be left out. */
  isOptional?: boolean | undefined;
  /** The dialog opens with the focus in it. */
  hasFocus?: boolean;
  onChange: (reason: string) => void;
}

/** The reason of a change, for the audit log. */
export function ReasonField({ reason, isOptional = false, hasFocus = false, onChange }: ReasonFieldProps) {
  const { t } = useTranslation('staff');
  return (
    <Textarea
      label={t(isOptional ? 'reason.optional' : 'reason.label')}
      description={t('reason.hint')}
      value={reason}
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

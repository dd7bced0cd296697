import { REASON_LENGTH_MAX, REASON_LENGTH_MIN } from '@cellhop/contract/limits';
import { Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface ReasonFieldProps {
  reason: string;
  onChange: (reason: string) => void;
}

/** The reason of a change, in a form with other fields. */
export function ReasonField({ reason, onChange }: ReasonFieldProps) {
  const { t } = useTranslation('staff');
  return (
    <Textarea
      label={t('reason.label')}
      description={t('reason.hint')}
      value={reason}
      maxLength={REASON_LENGTH_MAX}
      required
      autosize
      minRows={2}
      maxRows={6}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export function isReason(reason: string): boolean {
  return reason.trim().length >= REASON_LENGTH_MIN;
}

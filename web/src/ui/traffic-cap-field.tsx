import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { parseCap } from '../format/traffic-cap.ts';

interface TrafficCapFieldProps {
  text: string;
  /** Why the server has refused the cap. */
  refusal?: string | undefined;
  onChange: (text: string) => void;
}

/** Megabytes after which a connection ends; empty for none. */
export function TrafficCapField({ text, refusal, onChange }: TrafficCapFieldProps) {
  const { t } = useTranslation('proxyConnection');
  return (
    <TextInput
      label={t('trafficCap.label')}
      description={t('trafficCap.hint')}
      placeholder={t('trafficCap.none')}
      inputMode="numeric"
      autoComplete="off"
      value={text}
      error={parseCap(text) === undefined ? t('trafficCap.invalid') : refusal}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

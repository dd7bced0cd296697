import type { UsageStep } from '@cellhop/contract/usage';
import { formatDate } from '../../format/format.ts';

/** Label below the axis: `14:00`, or `21.11`. */
export function timeOf(at: string, step: UsageStep): { key: string; label: string } {
  const written = formatDate(at);
  return { key: at, label: step === 'hour' ? written.slice(-5) : written.slice(0, 5) };
}

export function spokenTime(at: string, step: UsageStep): string {
  return step === 'hour' ? formatDate(at) : formatDate(at).slice(0, -6);
}

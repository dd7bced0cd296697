import { RECIPIENTS_COUNTED_MAX } from '@cellhop/contract/limits';
import { formatCount } from '../../format/format.ts';

/** `1,234`, or `100,000+` for the largest number that the API counts. */
export function formatRecipients(count: number): string {
  return count >= RECIPIENTS_COUNTED_MAX ? `${formatCount(RECIPIENTS_COUNTED_MAX)}+` : formatCount(count);
}

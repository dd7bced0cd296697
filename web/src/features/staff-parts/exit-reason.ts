import { exitCheckReasons } from '@cellhop/contract/staff/inventory.values';
import { useTranslation } from 'react-i18next';

/** Why a check of an exit failed, in words. @returns undefined after a success */
export function useReason(text: string | null): string | undefined {
  const { t } = useTranslation('staffInventory');
  if (text === null) return undefined;
  const [name, code] = text.split(':');
  const known = exitCheckReasons.find((each) => each === name);
  const reason = known === undefined ? text : t(`check.reasons.${known}`);
  return known === undefined || code === undefined ? reason : t('check.reasonWithCode', { reason, code });
}

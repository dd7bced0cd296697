import { durationText } from '@cellhop/contract/number-texts';
import type { Settings } from '@cellhop/contract/settings';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../data/settings.ts';
import { type Language, readLanguage } from '../i18n/languages.ts';

/** What texts say about the times that are settings of the shop: `{{refundTime}}`, `{{idleTime}}`. */
export function useShopTimes() {
  const { i18n } = useTranslation();
  return shopTimes(useSettings(), readLanguage(i18n));
}

export function shopTimes({ refundMinutes, idleMinutes }: Settings, language: Language) {
  const text = (minutes: number) => durationText(language, Math.round(minutes * 60));
  return { refundTime: text(refundMinutes), idleTime: text(idleMinutes) };
}

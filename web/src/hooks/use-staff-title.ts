import { useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { readLanguage } from '../i18n/languages.ts';

/** Undefined on screens of customers. */
export function useStaffTitle(): string | undefined {
  const { i18n } = useTranslation();
  const title = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.staffScreen?.title });
  return title?.[readLanguage(i18n)];
}

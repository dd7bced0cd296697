import type { Resources } from './resources.ts';

export const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];
export const FALLBACK_LANGUAGE: Language = 'en';
export type Namespace = keyof Resources;

/** What all screens of signed-in users share, besides `common`. */
export const memberTexts = ['notification', 'country'] as const satisfies readonly Namespace[];

export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value);
}

/** Of the texts that are shown. */
export function readLanguage({ resolvedLanguage }: { resolvedLanguage?: string | undefined }): Language {
  return isLanguage(resolvedLanguage) ? resolvedLanguage : FALLBACK_LANGUAGE;
}

/** The first supported one of the user's languages; `ru-RU` counts as `ru`. */
export function detectLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const language = tag.toLowerCase().split('-')[0];
    if (isLanguage(language)) return language;
  }
  return FALLBACK_LANGUAGE;
}

import type { LiveTopic } from '@cellhop/contract/live.plain';
import type { IconProps } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Namespace } from '../i18n/languages.ts';
import type common from '../i18n/locales/en/common.json';

/**
 * All that the app must know of a screen before its code is loaded; each feature has one in its `screen.ts`. The page itself
 * is imported by the router when it is wanted.
 */
export interface Screen {
  path: string;
  /** Its page is `app/screens/<name>-screen.tsx`, or `<name>-page.tsx` of its feature where nothing has to be composed. */
  name: string;
  isForMembers: boolean;
  /** What it shows besides the texts that all share. */
  texts: readonly Namespace[];
  /** Checks the parameters of its address (lib/search-values.ts). */
  search?: (search: Record<string, unknown>) => object;
  /** Its name in the frame. Screens below another one have none. */
  title?: keyof (typeof common)['titles'];
  /** With an icon it has a place in the menu. */
  Icon?: ComponentType<IconProps>;
  /** What it asks the API for at once, besides the profile. */
  requests?: readonly string[];
  live?: readonly LiveAnswers[];
}

/** Answers of the API that change by themselves. */
export interface LiveAnswers {
  isMeant: (url: string) => boolean;
  /** What makes them stale. */
  topics: readonly LiveTopic[];
  /** Asked again at most once in this time. */
  spacingMs: number;
}

/** Traffic changes twice a second; nobody reads that fast. */
export const LIST_SPACING_MS = 1000;
/** Sums over many charges cost the server more than a page of a list, and charts are read slowly. */
export const SUMS_SPACING_MS = 5000;

/** Answers of some endpoints, as far as the browser names them. */
export function liveAnswers(
  endpoints: readonly { url: string }[],
  topics: readonly LiveTopic[],
  spacingMs = LIST_SPACING_MS,
): LiveAnswers {
  return { isMeant: (url) => endpoints.some((endpoint) => endpoint.url === url), topics, spacingMs };
}

import type { IconProps } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Namespace } from '../i18n/languages.ts';
import type common from '../i18n/locales/en/common.json';

/**
 * What the app needs to know about a screen before its code is loaded. Each feature declares it in its `screen.ts`; the
 * router imports the page lazily.
 */
export interface Screen {
  path: string;
  /** The page is `app/screens/<name>-screen.tsx`, or `<name>-page.tsx` of the feature if nothing has to be composed. */
  name: string;
  isForMembers: boolean;
  /** Texts that it needs besides those that all screens share. */
  texts: readonly Namespace[];
  /** Validates the URL parameters (lib/search-values.ts). */
  search?: (search: Record<string, unknown>) => object;
  /** The title in the top bar. Screens below another one have none. */
  title?: keyof (typeof common)['titles'];
  /** Screens with an icon are in the menu. */
  Icon?: ComponentType<IconProps>;
  /** API requests that start with the page, besides the profile. */
  requests?: readonly string[];
}

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
}

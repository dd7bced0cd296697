import type { IconProps } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Namespace } from '../i18n/languages.ts';
import type common from '../i18n/locales/en/common.json';

/** What the app needs to know about a screen before its code is loaded. Each feature declares it in its `screen.ts`. */
export interface Screen {
  path: string;
  /** Texts that it needs besides those that all screens share. */
  texts: readonly Namespace[];
  /** Validates the URL parameters (loading/search-values.ts). */
  search?: ((search: Record<string, unknown>) => object) | undefined;
  /** The title in the top bar. Screens below another one have none. */
  title?: keyof (typeof common)['titles'];
  /** Screens with an icon are in the menu. */
  Icon?: ComponentType<IconProps>;
  /** API requests that start with the page (build/boot-plugin.ts), besides the profile. */
  requests?: readonly string[];
  /** Requests its data before it renders. */
  prefetch?: (search: Record<string, unknown>) => Promise<void>;
}

/** The code of a screen, which is loaded when the screen is opened. */
export interface ScreenCode {
  load: () => Promise<Record<string, ComponentType>>;
  /** The name of the component in the module, whose file has the same name: `UsagePage` is in `usage-page.tsx`. */
  component: string;
}

/** An entry in a list of screens: what a feature declares, and the code of its page. */
export function withCode<const S extends object, M extends object>(
  screen: S,
  load: () => Promise<M>,
  component: keyof M & string,
): S & ScreenCode {
  // Without the types of the components: they depend on the routes, whose types are derived from the list.
  return { ...screen, load: load as () => Promise<never>, component };
}

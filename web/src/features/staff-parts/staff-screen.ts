import type { EndpointKey, Endpoints } from '@cellhop/contract/endpoints';
import type { Permission } from '@cellhop/contract/permissions';
import type { IconProps } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Screen } from '../../loading/screen.ts';
import type { Language } from '../../i18n/languages.ts';
import { oneOf, textParameters } from '../../loading/search-values.ts';

/** A screen of the admin area. Each feature of staff declares its screens in its `screen.ts`. */
export interface StaffScreen extends Pick<Screen, 'texts' | 'search'> {
  path: `/admin${string}`;
  /** Undefined: for every member of staff. Several: one of them is enough. */
  permission?: Permission | readonly Permission[];
  /** In the top bar and of the tab. A screen without one is below another one, whose path its own begins with, and shows the title of that. */
  title?: StaffTitle;
  /** In the menu, unless it is the title. */
  menuItem?: StaffTitle;
  /** Screens with an icon are in the menu. */
  Icon?: ComponentType<IconProps>;
  /** What the badge of the menu item counts. */
  waiting?: 'tickets' | 'approvals' | 'invoices' | 'system';
}

/** Here, and not in the texts of the screen, because the menu shows the titles of all. */
export type StaffTitle = Readonly<Record<Language, string>>;

type PermissionOf<K extends EndpointKey> = Endpoints[K]['access'] extends { permission: infer P } ? P : never;

/** A screen that shows the response of an endpoint (or of one of several) needs the same permission: no other one compiles. */
export type StaffScreenOf<K extends EndpointKey> = StaffScreen & {
  permission: PermissionOf<K> | readonly PermissionOf<K>[];
};

/** Values of a repeated parameter that are known; undefined for none. */
export function someOf<T extends string>(value: unknown, known: readonly T[]): T[] | undefined {
  const values = textParameters(value).flatMap((text) => oneOf(text, known) ?? []);
  return values.length > 0 ? values : undefined;
}

import type { EndpointKey, Endpoints } from '@cellhop/contract/endpoints';
import type { Permission } from '@cellhop/contract/permissions';
import type { IconProps } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Screen } from '../../loading/screen.ts';
import type staff from '../../i18n/locales/en/staff.json';
import { oneOf, textParameters } from '../../loading/search-values.ts';

/** A screen of the admin area. Each feature of staff declares its screens in its `screen.ts`. */
export interface StaffScreen extends Pick<Screen, 'texts' | 'search'> {
  path: `/admin${string}`;
  /** Undefined: for every member of staff. Several: one of them is enough. */
  permission?: Permission | readonly Permission[];
  title: keyof (typeof staff)['titles'];
  /** Screens with an icon are in the menu. Others are below the menu item with the same title. */
  Icon?: ComponentType<IconProps>;
}

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

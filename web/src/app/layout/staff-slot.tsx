import type { Permission } from '@cellhop/contract/permissions';
import { type ComponentType, useEffect } from 'react';
import { loadTexts } from '../../i18n/setup.ts';
import { useProfile } from '../../session/profile.ts';
import { type LazyPart, lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';

export interface SlotProps {
  permissions: readonly Permission[];
}

type Part = ComponentType<SlotProps>;

/** A part of the shell that only staff load. */
export function staffPart<P>(load: () => Promise<ComponentType<P>>): LazyPart<ComponentType<P>> {
  return lazyPart(async () => {
    const part = await load();
    // Its code registers the texts (i18n/staff-texts.ts).
    await loadTexts('staff')();
    return part;
  });
}

export function StaffSlot({ part }: { part: LazyPart<Part> }) {
  const permissions = useProfile()?.role.permissions ?? [];
  return permissions.length > 0 ? <LoadedPart part={part} permissions={permissions} /> : null;
}

function LoadedPart({ part, permissions }: { part: LazyPart<Part>; permissions: readonly Permission[] }) {
  const [Loaded, load] = useLazyPart(part);
  useEffect(load, [load]);
  return Loaded === undefined ? null : <Loaded permissions={permissions} />;
}

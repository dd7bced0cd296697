import type { Permission } from '@cellhop/contract/permissions';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import { loadTexts } from '../../i18n/setup.ts';
import { useProfile } from '../../session/profile.ts';
import { type LazyPart, lazyPart, useLazyPart } from '../../loading/use-lazy-part.ts';

export interface SlotProps {
  permissions: readonly Permission[];
  /** Rendered by the part for staff, inside its own content. */
  children?: ReactNode;
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

interface StaffSlotProps {
  part: LazyPart<Part>;
  /** Customers see only this. */
  children?: ReactNode;
}

export function StaffSlot({ part, children }: StaffSlotProps) {
  const permissions = useProfile()?.role.permissions ?? [];
  if (permissions.length === 0) return children;
  return (
    <LoadedPart part={part} permissions={permissions}>
      {children}
    </LoadedPart>
  );
}

function LoadedPart({ part, ...slot }: SlotProps & { part: LazyPart<Part> }) {
  const [Loaded, load] = useLazyPart(part);
  useEffect(load, [load]);
  return Loaded === undefined ? null : <Loaded {...slot} />;
}

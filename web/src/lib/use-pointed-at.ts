import { type PointerEvent, useState } from 'react';
import { isMovement } from './pointer.ts';

/** Whether the mouse was moved onto an element and is still there; the handlers belong to that element. */
export function usePointedAt() {
  const [isPointedAt, setPointedAt] = useState(false);
  const handlers = {
    onPointerMove: (event: PointerEvent) => {
      if (event.pointerType !== 'touch' && isMovement(event)) setPointedAt(true);
    },
    onPointerLeave: () => setPointedAt(false),
  };
  return [isPointedAt, handlers] as const;
}

import { type PointerEvent, useState } from 'react';
import { isMovement } from '../ui/pointer.ts';

/** Whether the mouse was moved onto an element and is still there. Spread the returned handlers on the element. */
export function useHover() {
  const [isHovered, setHovered] = useState(false);
  const handlers = {
    onPointerMove: (event: PointerEvent) => {
      if (event.pointerType !== 'touch' && isMovement(event)) setHovered(true);
    },
    onPointerLeave: () => setHovered(false),
  };
  return [isHovered, handlers] as const;
}

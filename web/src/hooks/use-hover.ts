import { type PointerEvent, useState } from 'react';

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

/**
 * Whether the pointer really moved. Browsers send the same events when an element appears under or disappears from a
 * resting pointer, but without a movement. Hover effects must ignore those.
 */
export function isMovement({ movementX, movementY }: Pick<PointerEvent, 'movementX' | 'movementY'>): boolean {
  return movementX !== 0 || movementY !== 0;
}

/**
 * Whether the pointer really moved. Browsers send the same events when an element appears under or disappears from a
 * resting pointer, but without a movement. Hover effects must ignore those.
 */
export function isMovement({ movementX, movementY }: Pick<PointerEvent, 'movementX' | 'movementY'>): boolean {
  return movementX !== 0 || movementY !== 0;
}

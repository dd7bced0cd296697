/**
 * Whether the pointer has really moved. Browsers send the same events when an element is drawn under a resting mouse or is
 * moved away from it, but without a movement. What pointing chooses or opens must not react to those.
 */
export function isMovement({ movementX, movementY }: Pick<PointerEvent, 'movementX' | 'movementY'>): boolean {
  return movementX !== 0 || movementY !== 0;
}

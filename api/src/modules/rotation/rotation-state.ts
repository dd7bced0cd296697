/** What a customer sees of the last change of an exit's address. Pure. */
import type { Connection } from '@cellhop/contract/connections';
import type { RotationState } from '@cellhop/contract/rotation';

/** Longer than any farm takes; later, the address was not changed. */
export const ROTATION_MS_MAX = 120_000;

/** Of the exit of a connection; all but `rotates` are null before its first change. */
export interface RotationRow {
  rotates: boolean;
  /** Null: the setting applies. */
  cooldownSeconds: number | null;
  /** Who ordered the last change. */
  lastConnectionId: string | null;
  orderedAt: Date | null;
  /** Null: the farm was not asked. */
  calledAt: Date | null;
  finishedAt: Date | null;
  rotationOutcome: 'CHANGED' | 'SAME_IP' | 'FAILED' | null;
}

export function presentRotation(
  row: RotationRow,
  connectionId: string,
  cooldownMs: number,
  nowMs = Date.now(),
): Omit<NonNullable<Connection['rotation']>, 'link' | 'everyMinutes'> | null {
  if (!row.rotates) return null;
  const availableAtMs = endOfCooldownMs(row, cooldownMs);
  const availableAt = availableAtMs > nowMs ? new Date(availableAtMs).toISOString() : null;
  return { state: toState(row, connectionId, availableAt !== null), availableAt };
}

/** Farms refuse a second change for a while, also after one that did not succeed. */
export function endOfCooldownMs({ cooldownSeconds, calledAt, finishedAt }: RotationRow, cooldownMs: number): number {
  if (calledAt === null || finishedAt === null) return 0;
  return finishedAt.getTime() + (cooldownSeconds === null ? cooldownMs : cooldownSeconds * 1000);
}

/** What went wrong for an earlier customer of the exit says nothing to this one. */
function toState(
  { orderedAt, rotationOutcome: outcome, lastConnectionId }: RotationRow,
  connectionId: string,
  isCooling: boolean,
): RotationState {
  if (orderedAt !== null && outcome === null) return 'ROTATING';
  if (lastConnectionId === connectionId && (outcome === 'SAME_IP' || outcome === 'FAILED')) return outcome;
  return isCooling ? 'COOLDOWN' : 'READY';
}

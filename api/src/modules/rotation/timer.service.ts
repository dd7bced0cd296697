/** Changes the addresses of connections at an interval that their customers choose. */
import { AppError } from '@cellhop/contract/errors';
import type { Ctx } from '../../ctx.ts';
import { order } from './rotation.service.ts';
import * as store from './timer.store.ts';

/** At a time; the others follow with the next run. */
const DUE_MAX = 100;

/** @param everyMinutes null: no timer. @throws AppError NOT_ROTATABLE */
export async function setTimer(ctx: Ctx, connectionId: string, everyMinutes: number | null): Promise<void> {
  if (everyMinutes === null) return store.removeTimer(ctx, connectionId);
  if (!(await store.saveTimer(ctx, connectionId, everyMinutes))) throw new AppError('NOT_ROTATABLE');
  return undefined;
}

/** A periodic task. What is refused just now, by a cooldown or an old gateway, is tried again after the interval. */
export async function rotateByTimer(ctx: Ctx): Promise<void> {
  for (const connectionId of await store.takeDue(ctx, DUE_MAX))
    await order(ctx, connectionId).catch((error: unknown) => {
      if (!(error instanceof AppError)) ctx.log.error({ err: error, connectionId }, 'a timer could order no change');
    });
}

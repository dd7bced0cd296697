/** Work that would only get in its own way if all of it ran at once. */
import { AppError } from '@cellhop/contract/errors';

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * At most `runningMax` pieces of work of this process run at once; the others wait, first come first served. Never wait
 * for a turn inside of a transaction: those who have one may wait for the connection that it holds.
 * @returns what runs a piece of work in its turn. @throws AppError UNAVAILABLE when `waitingMax` wait already
 */
export function takeTurns({ runningMax, waitingMax }: { runningMax: number; waitingMax: number }): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < runningMax) running++;
    else {
      if (waiting.length >= waitingMax) throw new AppError('UNAVAILABLE');
      // Whoever finishes hands its place over, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

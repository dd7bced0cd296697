export interface PausableTimer {
  setPaused: (isPaused: boolean) => void;
  stop: () => void;
}

/**
 * Runs a function when the time is up. A pause keeps the remaining time; the total of all pauses is bounded, so that it
 * always runs eventually.
 */
export function startPausableTimer(
  run: () => void,
  { runsAfterMs, maxPauseMs }: { runsAfterMs: number; maxPauseMs: number },
): PausableTimer {
  let remainingMs = runsAfterMs;
  let remainingPauseMs = maxPauseMs;
  let isPaused = false;
  let changedAt = performance.now();
  let timeout = setTimeout(run, remainingMs);

  function setPaused(shouldPause: boolean): void {
    if (shouldPause === isPaused || (shouldPause && remainingPauseMs <= 0)) return;
    const elapsedMs = performance.now() - changedAt;
    if (isPaused) remainingPauseMs -= elapsedMs;
    else remainingMs -= elapsedMs;
    isPaused = shouldPause;
    changedAt += elapsedMs;
    clearTimeout(timeout);
    timeout = isPaused ? setTimeout(() => setPaused(false), remainingPauseMs) : setTimeout(run, remainingMs);
  }

  return { setPaused, stop: () => clearTimeout(timeout) };
}

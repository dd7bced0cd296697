export interface PausableTimer {
  setPaused: (isPaused: boolean) => void;
  stop: () => void;
}

/**
 * Runs something once its time is over. A pause keeps the rest of that time; all pauses together are bounded, so that it
 * always runs in the end.
 */
export function startPausableTimer(
  run: () => void,
  { runsAfterMs, pausesForMs }: { runsAfterMs: number; pausesForMs: number },
): PausableTimer {
  let restMs = runsAfterMs;
  let pauseRestMs = pausesForMs;
  let isPaused = false;
  let changedAt = performance.now();
  let timeout = setTimeout(run, restMs);

  function setPaused(shouldPause: boolean): void {
    if (shouldPause === isPaused || (shouldPause && pauseRestMs <= 0)) return;
    const passedMs = performance.now() - changedAt;
    if (isPaused) pauseRestMs -= passedMs;
    else restMs -= passedMs;
    isPaused = shouldPause;
    changedAt += passedMs;
    clearTimeout(timeout);
    timeout = isPaused ? setTimeout(() => setPaused(false), pauseRestMs) : setTimeout(run, restMs);
  }

  return { setPaused, stop: () => clearTimeout(timeout) };
}

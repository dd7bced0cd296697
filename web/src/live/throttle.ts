/**
 * Calls an action immediately, then at most once per interval. Calls within the interval, or while the action runs, are
 * combined into one after it.
 *
 * @param action never rejects, and always ends
 */
export function throttle(action: () => Promise<void>, intervalMs: number): { call: () => void; stop: () => void } {
  let lastAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isCalled = false;
  let isStopped = false;

  async function run(): Promise<void> {
    timer = undefined;
    lastAt = performance.now();
    isCalled = false;
    isRunning = true;
    await action();
    isRunning = false;
    if (isCalled) call();
  }

  function call(): void {
    isCalled = true;
    if (isRunning || isStopped || timer !== undefined) return;
    const waitMs = lastAt + intervalMs - performance.now();
    if (waitMs <= 0) void run();
    else timer = setTimeout(() => void run(), waitMs);
  }

  return {
    call,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

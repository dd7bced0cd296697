/**
 * Calls an action immediately, then at most once per interval. Calls within the interval are combined into one at its
 * end.
 */
export function throttle(action: () => void, intervalMs: number): { call: () => void; stop: () => void } {
  let lastAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function run() {
    timer = undefined;
    lastAt = performance.now();
    action();
  }

  return {
    call: () => {
      const waitMs = lastAt + intervalMs - performance.now();
      if (waitMs <= 0 && timer === undefined) run();
      else timer ??= setTimeout(run, waitMs);
    },
    stop: () => clearTimeout(timer),
  };
}

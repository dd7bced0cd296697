/** Calls an action at once, then at most once in a time; a call that came too early is made up for when the time is over. */
export function spaced(action: () => void, spacingMs: number): { call: () => void; stop: () => void } {
  let lastAt = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function run() {
    timer = undefined;
    lastAt = performance.now();
    action();
  }

  return {
    call: () => {
      const waitMs = lastAt + spacingMs - performance.now();
      if (waitMs <= 0 && timer === undefined) run();
      else timer ??= setTimeout(run, waitMs);
    },
    stop: () => clearTimeout(timer),
  };
}

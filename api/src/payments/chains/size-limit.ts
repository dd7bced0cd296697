const ACCEPTED_BEFORE_GROWTH = 4;
const ACCEPTED_BEFORE_GROWTH_MAX = 1024;

export interface SizeLimit {
  value: () => number;
  /** Half of this size is tried from now on. */
  refuse: (size: number) => void;
  accept: (size: number) => void;
}

/**
 * How much a source accepts at once: half of what it has refused, and twice as much again once it has accepted that several times. Each
 * attempt to grow that is refused is followed by four times as many sizes that are accepted, so that refusals become rare.
 */
export function createSizeLimit(max: number): SizeLimit {
  let limit = max;
  let accepted = 0;
  let needed = ACCEPTED_BEFORE_GROWTH;
  let isTrying = false;
  return {
    value: () => limit,
    refuse(size) {
      needed = isTrying ? Math.min(needed * 4, ACCEPTED_BEFORE_GROWTH_MAX) : ACCEPTED_BEFORE_GROWTH;
      limit = Math.max(1, Math.floor(Math.min(size, limit) / 2));
      accepted = 0;
      isTrying = false;
    },
    accept(size) {
      // Smaller ones do not prove that the limit is accepted.
      if (size < limit || limit === max) return;
      if (isTrying) needed = ACCEPTED_BEFORE_GROWTH;
      isTrying = false;
      accepted += 1;
      if (accepted < needed) return;
      limit = Math.min(max, limit * 2);
      accepted = 0;
      isTrying = true;
    },
  };
}

import { storedValue } from '../session/stored-value.ts';

/** A tab that ends without a word, or that the browser has frozen, keeps the others waiting for this time. */
const LEASE_MS = 10_000;
const RENEW_MS = 3000;

interface Lease {
  holder: number;
  /** In milliseconds since the epoch. */
  until: number;
}

/**
 * Runs `lead` in one tab of the browser at a time, until the signal aborts. Without TLS browsers open at most six connections to a server,
 * and each stream of events uses one: seven tabs with a stream each would wait for ever.
 */
export async function leadInOneTab(
  name: string,
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const locks = (navigator as Partial<Navigator>).locks;
  // Rejects if this tab is closed or signed out while it waits for the lock.
  if (locks !== undefined) return locks.request(name, { signal }, () => lead(signal)).catch(() => undefined);
  leadByLease(name, lead, signal);
}

/**
 * Web Locks exist in secure contexts only. Otherwise one of the visible tabs leads while it holds a lease in their storage. Two tabs may take
 * it at once, because storage has no lock; the one that was overwritten notices when it renews.
 */
function leadByLease(name: string, lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): void {
  const lease = storedValue(name, (value): value is Lease => value !== null);
  const holder = Math.random();
  let leading: AbortController | undefined;

  function stop(): void {
    leading?.abort();
    leading = undefined;
    if (lease.get()?.holder === holder) lease.set(undefined);
  }

  function follow(): void {
    const current = lease.get();
    // More than the whole time is left if the clock has been set back.
    const leftMs = (current?.until ?? 0) - Date.now();
    const isTaken = current?.holder !== holder && leftMs > 0 && leftMs <= LEASE_MS;
    if (document.hidden || isTaken) return stop();
    lease.set({ holder, until: Date.now() + LEASE_MS });
    if (leading !== undefined) return;
    leading = new AbortController();
    void lead(AbortSignal.any([signal, leading.signal]));
  }

  const timer = setInterval(follow, RENEW_MS);
  document.addEventListener('visibilitychange', follow, { signal });
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    stop();
  });
  follow();
}

/**
 * Ensures that one tab of a browser refreshes the tokens. Other tabs see a tab's storage, lock releases and messages in
 * any order, so a tab that gets the lock may still read the old tokens. Therefore each token pair has its own lock, and
 * the tab that refreshed the pair holds it for some time and sends the new pair to tabs that request it: a tab that
 * still reads the old pair waits for the lock and receives the new pair, instead of sending the old one again.
 */
import { isStoredTokens, type StoredTokens, tokens, acceptSharedTokens } from './tokens.ts';

const CHANNEL = 'refreshed-tokens';
/** Longer than a running tab needs to see another tab's change of the storage. */
const HOLD_MS = 10_000;
/**
 * The tab that holds the lock may be frozen or have a slow network. A tab that continues without the lock must send its
 * request within the 10 seconds in which the server returns the same new pair again.
 */
const MAX_WAIT_MS = 5000;

type TabMessage = { kind: 'request'; spent: string } | { kind: 'refreshed'; spent: string; next: StoredTokens };

interface RefreshLock {
  /** Sends the new pair to other tabs, and releases the lock once all of them can know it. */
  shareAndRelease: (next: StoredTokens) => void;
  /** Lets the next tab try. */
  release: () => void;
}

/**
 * Waits until the lock is granted, another tab sends the new pair, the stored tokens change, or the wait times out.
 * @returns the lock; undefined when the stored tokens are no longer this pair
 */
export function acquireRefreshLock(locks: LockManager, pair: StoredTokens): Promise<RefreshLock | undefined> {
  const spent = pair.refreshToken;
  const channel = new BroadcastChannel(CHANNEL);
  const waiting = new AbortController();
  return new Promise((resolve) => {
    function finish(lock?: RefreshLock): void {
      if (waiting.signal.aborted) return;
      waiting.abort();
      clearTimeout(timer);
      unsubscribe();
      if (lock === undefined) channel.close();
      resolve(lock);
    }

    function finishIfReplaced(): void {
      if (tokens.get()?.refreshToken !== spent) finish();
    }

    const timer = setTimeout(() => finish(createLock(channel, spent)), MAX_WAIT_MS);
    const unsubscribe = tokens.subscribe(finishIfReplaced);
    channel.addEventListener('message', ({ data }) => {
      if (!isRefreshed(data) || data.spent !== spent) return;
      acceptSharedTokens(spent, data.next);
      finishIfReplaced();
    });
    // Another tab may have refreshed this pair before this tab subscribed.
    post(channel, { kind: 'request', spent });
    locks
      .request(lockName(pair), { signal: waiting.signal }, async () => {
        if (waiting.signal.aborted) return;
        await new Promise<void>((release) => finish(createLock(channel, spent, release)));
      })
      // Aborted because the wait is over. Or this document has no locks, and then no other tab has them.
      .catch(() => finish(createLock(channel, spent)));
  });
}

function createLock(channel: BroadcastChannel, spent: string, release: () => void = () => undefined): RefreshLock {
  function end(): void {
    channel.close();
    release();
  }
  return {
    shareAndRelease(next) {
      const refreshed = { kind: 'refreshed', spent, next } as const;
      channel.addEventListener('message', ({ data }) => {
        if (isRequest(data) && data.spent === spent) post(channel, refreshed);
      });
      post(channel, refreshed);
      setTimeout(end, HOLD_MS);
    },
    release: end,
  };
}

/** The end of the signature identifies the pair and is useless as a credential. */
function lockName({ accessToken }: StoredTokens): string {
  return `refresh-tokens:${accessToken.slice(-16)}`;
}

function post(channel: BroadcastChannel, message: TabMessage): void {
  // A channel reaches tabs of this origin alone.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message);
}

function isRequest(data: unknown): data is TabMessage & { kind: 'request' } {
  return (data as TabMessage | null)?.kind === 'request';
}

function isRefreshed(data: unknown): data is TabMessage & { kind: 'refreshed' } {
  const message = data as Partial<TabMessage & { kind: 'refreshed' }> | null;
  return message?.kind === 'refreshed' && isStoredTokens(message.next);
}

/**
 * One refresh for all tabs of a browser. What a tab stores, the locks it releases and the messages it posts reach other
 * tabs in any order, so a tab that gets a lock may still read what was stored before. Therefore each pair of tokens has a
 * lock of its own, and the tab that has refreshed the pair keeps it for a while, in which it gives the new pair to whoever
 * asks: a tab that still reads the old pair waits at its lock and hears the new one, instead of sending the old one again.
 */
import { isStoredTokens, type StoredTokens, tokens, usePosted } from './tokens.ts';

const CHANNEL = 'refreshed-tokens';
/** Longer than a running tab may need to read what another one has stored. */
const KEPT_MS = 10_000;
/**
 * The tab that has the lock may be frozen, or its network slow. Whoever goes on without the lock must come within the 10
 * seconds in which the server gives the same new pair again.
 */
const WAIT_MS_MAX = 5000;

type TabMessage = { kind: 'asked'; spent: string } | { kind: 'refreshed'; spent: string; next: StoredTokens };

interface Turn {
  /** Tells the other tabs the new pair, and keeps the lock until they can know it. */
  succeed: (next: StoredTokens) => void;
  /** Lets the next tab try. */
  giveUp: () => void;
}

/**
 * Waits for the first of: the lock, a new pair from another tab, a change of the stored tokens, the longest wait.
 * @returns the turn to refresh this pair; undefined when the tokens are no longer this pair
 */
export function waitForTurn(locks: LockManager, pair: StoredTokens): Promise<Turn | undefined> {
  const spent = pair.refreshToken;
  const channel = new BroadcastChannel(CHANNEL);
  const waiting = new AbortController();
  return new Promise((resolve) => {
    function finish(turn?: Turn): void {
      if (waiting.signal.aborted) return;
      waiting.abort();
      clearTimeout(timer);
      unsubscribe();
      if (turn === undefined) channel.close();
      resolve(turn);
    }

    function finishIfReplaced(): void {
      if (tokens.get()?.refreshToken !== spent) finish();
    }

    const timer = setTimeout(() => finish(turnOf(channel, spent)), WAIT_MS_MAX);
    const unsubscribe = tokens.subscribe(finishIfReplaced);
    channel.addEventListener('message', ({ data }) => {
      if (!isRefreshed(data) || data.spent !== spent) return;
      usePosted(spent, data.next);
      finishIfReplaced();
    });
    // Another tab may have refreshed this pair before this tab listened.
    tell(channel, { kind: 'asked', spent });
    locks
      .request(nameOf(pair), { signal: waiting.signal }, async () => {
        if (waiting.signal.aborted) return;
        await new Promise<void>((release) => finish(turnOf(channel, spent, release)));
      })
      // Aborted because the wait is over; or there are no locks in this document, and then nobody else has one.
      .catch(() => finish(turnOf(channel, spent)));
  });
}

function turnOf(channel: BroadcastChannel, spent: string, release: () => void = () => undefined): Turn {
  function end(): void {
    channel.close();
    release();
  }
  return {
    succeed(next) {
      const refreshed = { kind: 'refreshed', spent, next } as const;
      channel.addEventListener('message', ({ data }) => {
        if (isAsked(data) && data.spent === spent) tell(channel, refreshed);
      });
      tell(channel, refreshed);
      setTimeout(end, KEPT_MS);
    },
    giveUp: end,
  };
}

/** The end of the signature tells pairs apart and opens nothing. */
function nameOf({ accessToken }: StoredTokens): string {
  return `refresh-tokens:${accessToken.slice(-16)}`;
}

function tell(channel: BroadcastChannel, message: TabMessage): void {
  // A channel reaches tabs of this origin alone.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel.postMessage(message);
}

function isAsked(data: unknown): data is TabMessage & { kind: 'asked' } {
  return (data as TabMessage | null)?.kind === 'asked';
}

function isRefreshed(data: unknown): data is TabMessage & { kind: 'refreshed' } {
  const message = data as Partial<TabMessage & { kind: 'refreshed' }> | null;
  return message?.kind === 'refreshed' && isStoredTokens(message.next);
}

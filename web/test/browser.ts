/**
 * A browser with several tabs, each with modules of its own. What one tab stores or posts the others see when the test lets
 * them, as in browsers, where storage, messages and locks reach another process in any order.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { vi } from 'vitest';

type LockTask = () => Promise<unknown>;

interface Mutation {
  key: string;
  value: string | null;
  order: number;
}

export interface Tab {
  /** Runs something as this tab's code. */
  run: <T>(task: () => T) => T;
  /** What this tab reads from the storage now. */
  read: (key: string) => string | null;
  /** Lets this tab read what others have stored, while the events that tell of it are still on their way. */
  readStorage: () => void;
  /** Lets this tab read what others have stored, and tells it. */
  seeStorage: () => void;
  /** Lets this tab hear what others post, from now on and what was posted before. */
  hear: () => void;
}

class ModelledTab extends EventTarget implements Tab {
  private readonly view: Map<string, string>;
  private readonly unseen: Mutation[] = [];
  private readonly unheard: (() => void)[] = [];
  private readonly ownOrder = new Map<string, number>();
  private isDeaf: boolean;

  constructor(private readonly browser: ModelledBrowser) {
    super();
    this.view = new Map(browser.items);
    this.isDeaf = browser.isHeld;
  }

  run<T>(task: () => T): T {
    return currentTab.run(this, task);
  }

  read(key: string): string | null {
    return this.view.get(key) ?? null;
  }

  write(key: string, value: string | null): void {
    const order = this.browser.store(key, value, this);
    this.ownOrder.set(key, order);
    put(this.view, key, value);
  }

  notice(mutation: Mutation): void {
    this.unseen.push(mutation);
    if (!this.browser.isHeld) this.seeStorage();
  }

  readStorage(): void {
    for (const { key, value, order } of this.unseen)
      // What this tab itself has stored later stays in its sight.
      if (order > (this.ownOrder.get(key) ?? 0)) put(this.view, key, value);
  }

  seeStorage(): void {
    this.readStorage();
    for (const { key, value } of this.unseen.splice(0)) {
      const event = Object.assign(new Event('storage'), { key, newValue: value });
      this.run(() => this.dispatchEvent(event));
    }
  }

  deliver(message: () => void): void {
    if (this.isDeaf) this.unheard.push(message);
    else queueMicrotask(() => this.run(message));
  }

  hear(): void {
    this.isDeaf = false;
    for (const message of this.unheard.splice(0)) this.deliver(message);
  }
}

class ModelledBrowser {
  readonly items = new Map<string, string>();
  readonly tabs: ModelledTab[] = [];
  readonly channels = new Set<ModelledChannel>();
  readonly locks = new ModelledLocks();
  private order = 0;

  /** @param isHeld whether a tab sees and hears others only when the test lets it */
  constructor(readonly isHeld: boolean) {}

  store(key: string, value: string | null, writer: ModelledTab): number {
    const mutation = { key, value, order: ++this.order };
    if ((this.items.get(key) ?? null) !== value) for (const tab of this.tabs) if (tab !== writer) tab.notice(mutation);
    put(this.items, key, value);
    return mutation.order;
  }
}

class ModelledChannel extends EventTarget {
  private readonly tab = tabNow();
  private readonly browser = browserNow();

  constructor(private readonly name: string) {
    super();
    this.browser.channels.add(this);
  }

  postMessage(data: unknown): void {
    for (const channel of this.browser.channels) {
      if (channel === this || channel.name !== this.name) continue;
      channel.tab.deliver(() => {
        if (this.browser.channels.has(channel)) channel.dispatchEvent(new MessageEvent('message', { data }));
      });
    }
  }

  close(): void {
    this.browser.channels.delete(this);
  }
}

class ModelledLocks {
  private readonly queues = new Map<string, (() => Promise<void>)[]>();

  request(name: string, ...rest: [LockOptions, LockTask] | [LockTask]): Promise<unknown> {
    const tab = tabNow();
    const [options, task] = rest.length === 1 ? [{}, rest[0]] : rest;
    return new Promise((resolve, reject) => {
      const turn = () => tab.run(() => task().then(resolve, reject));
      const queue = this.queues.get(name) ?? [];
      this.queues.set(name, queue);
      queue.push(turn);
      options.signal?.addEventListener('abort', () => {
        // A lock that is held stays so.
        if (queue.indexOf(turn) < 1) return;
        queue.splice(queue.indexOf(turn), 1);
        reject(options.signal!.reason as Error);
      });
      if (queue.length === 1) void this.grant(queue);
    });
  }

  private async grant(queue: (() => Promise<void>)[]): Promise<void> {
    await Promise.resolve();
    while (queue[0] !== undefined) {
      await queue[0]();
      queue.shift();
    }
  }
}

const currentTab = new AsyncLocalStorage<ModelledTab>();
let browser: ModelledBrowser | undefined;

/**
 * Puts the browser in place of this process's globals until `vi.unstubAllGlobals`. Fake timers must have been started.
 * @param isHeld whether a tab sees and hears others only when the test lets it
 */
export function startBrowser({ isHeld = false } = {}) {
  const started = new ModelledBrowser(isHeld);
  browser = started;
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => tabNow().read(key),
    setItem: (key: string, value: string) => tabNow().write(key, value),
    removeItem: (key: string) => tabNow().write(key, null),
  });
  vi.stubGlobal('addEventListener', (name: string, listener: () => void) => tabNow().addEventListener(name, listener));
  vi.stubGlobal('removeEventListener', (name: string, listener: () => void) =>
    tabNow().removeEventListener(name, listener),
  );
  vi.stubGlobal('navigator', { locks: started.locks, languages: ['en'] });
  // A timer is its tab's, whoever lets the time pass.
  const { setTimeout } = globalThis;
  vi.stubGlobal('setTimeout', (task: () => void, delayMs: number) => setTimeout(AsyncLocalStorage.bind(task), delayMs));
  vi.stubGlobal('BroadcastChannel', ModelledChannel);
  return {
    items: started.items,
    openTab<T>(load: () => Promise<T>): Promise<Tab & { modules: T }> {
      const tab = new ModelledTab(started);
      started.tabs.push(tab);
      vi.resetModules();
      return tab.run(async () => Object.assign(tab, { modules: await load() }));
    },
  };
}

/** What the API issues, as far as the web app reads it. */
export function issued(session: string, generation: number, livesMs = 900_000) {
  const claims = btoa(JSON.stringify({ sid: session, generation })).replaceAll('=', '');
  return {
    accessToken: `header.${claims}.signature-${session}-${generation}`,
    refreshToken: `refresh-${session}-${generation}`,
    expiredAccessTokenAt: Date.now() + livesMs,
  };
}

function tabNow(): ModelledTab {
  const tab = currentTab.getStore();
  if (tab === undefined) throw new Error('Only code of a tab can do this');
  return tab;
}

function browserNow(): ModelledBrowser {
  if (browser === undefined) throw new Error('No browser has been started');
  return browser;
}

function put(items: Map<string, string>, key: string, value: string | null): void {
  if (value === null) items.delete(key);
  else items.set(key, value);
}

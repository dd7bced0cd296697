/**
 * A fake browser with several tabs, each with its own modules. The test decides when a tab sees what others store or post,
 * because in browsers storage, messages and locks reach another process in any order.
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
  /** Runs a function as code of this tab. */
  run: <T>(task: () => T) => T;
  /** The value that this tab sees in the storage. */
  read: (key: string) => string | null;
  /** Lets this tab read what others have stored, without storage events yet. */
  readStorage: () => void;
  /** Lets this tab read what others have stored, and dispatches storage events. */
  syncStorage: () => void;
  /** Delivers messages of other tabs, earlier ones included. */
  receiveMessages: () => void;
}

class FakeTab extends EventTarget implements Tab {
  private readonly view: Map<string, string>;
  private readonly unsynced: Mutation[] = [];
  private readonly undelivered: (() => void)[] = [];
  private readonly ownOrder = new Map<string, number>();
  private isBlocked: boolean;

  constructor(private readonly browser: FakeBrowser) {
    super();
    this.view = new Map(browser.items);
    this.isBlocked = browser.isHeld;
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

  onMutation(mutation: Mutation): void {
    this.unsynced.push(mutation);
    if (!this.browser.isHeld) this.syncStorage();
  }

  readStorage(): void {
    for (const { key, value, order } of this.unsynced)
      // A later value of this tab itself is not overwritten.
      if (order > (this.ownOrder.get(key) ?? 0)) put(this.view, key, value);
  }

  syncStorage(): void {
    this.readStorage();
    for (const { key, value } of this.unsynced.splice(0)) {
      const event = Object.assign(new Event('storage'), { key, newValue: value });
      this.run(() => this.dispatchEvent(event));
    }
  }

  deliver(message: () => void): void {
    if (this.isBlocked) this.undelivered.push(message);
    else queueMicrotask(() => this.run(message));
  }

  receiveMessages(): void {
    this.isBlocked = false;
    for (const message of this.undelivered.splice(0)) this.deliver(message);
  }
}

class FakeBrowser {
  readonly items = new Map<string, string>();
  readonly tabs: FakeTab[] = [];
  readonly channels = new Set<FakeChannel>();
  readonly locks = new FakeLocks();
  private order = 0;

  /** @param isHeld whether the test controls when a tab sees storage and messages of others */
  constructor(readonly isHeld: boolean) {}

  store(key: string, value: string | null, writer: FakeTab): number {
    const mutation = { key, value, order: ++this.order };
    if ((this.items.get(key) ?? null) !== value)
      for (const tab of this.tabs) if (tab !== writer) tab.onMutation(mutation);
    put(this.items, key, value);
    return mutation.order;
  }
}

class FakeChannel extends EventTarget {
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

class FakeLocks {
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
        // A held lock cannot be aborted.
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

const currentTab = new AsyncLocalStorage<FakeTab>();
let browser: FakeBrowser | undefined;

/**
 * Puts the browser in place of this process's globals until `vi.unstubAllGlobals`. Fake timers must have been started.
 * @param isHeld whether the test controls when a tab sees storage and messages of others
 */
export function startBrowser({ isHeld = false } = {}) {
  const started = new FakeBrowser(isHeld);
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
  // A timer belongs to its tab, whichever tab advances the time.
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const start = globalThis[name];
    vi.stubGlobal(name, (task: () => void, delayMs: number) => start(AsyncLocalStorage.bind(task), delayMs));
  }
  vi.stubGlobal('BroadcastChannel', FakeChannel);
  return {
    items: started.items,
    openTab<T>(load: () => Promise<T>): Promise<Tab & { modules: T }> {
      const tab = new FakeTab(started);
      started.tabs.push(tab);
      vi.resetModules();
      return tab.run(async () => Object.assign(tab, { modules: await load() }));
    },
  };
}

function tabNow(): FakeTab {
  const tab = currentTab.getStore();
  if (tab === undefined) throw new Error('Only code of a tab can do this');
  return tab;
}

function browserNow(): FakeBrowser {
  if (browser === undefined) throw new Error('No browser has been started');
  return browser;
}

function put(items: Map<string, string>, key: string, value: string | null): void {
  if (value === null) items.delete(key);
  else items.set(key, value);
}

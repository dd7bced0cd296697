import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createDraft, forgetInput, watchSignOuts } from './drafts.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

function stubStorage(name: string): void {
  const items: Record<string, string> = {};
  vi.stubGlobal(
    name,
    new Proxy(items, {
      get: (target, key: string) =>
        ({
          getItem: (item: string) => target[item] ?? null,
          setItem: (item: string, value: string) => (target[item] = value),
          removeItem: (item: string) => delete target[item],
        })[key],
    }),
  );
}

const storageEvents = new EventTarget();
beforeEach(() => {
  stubStorage('sessionStorage');
  stubStorage('localStorage');
  vi.stubGlobal('addEventListener', storageEvents.addEventListener.bind(storageEvents));
  vi.stubGlobal('removeEventListener', storageEvents.removeEventListener.bind(storageEvents));
});

describe('draftOf', () => {
  it('is kept until it is sent', () => {
    const draft = createDraft('a@example.com', 'message', isText);
    draft.write('half a sen');
    expect(draft.read()).toBe('half a sen');
    draft.write(undefined);
    expect(draft.read()).toBeUndefined();
  });

  it('belongs to one user and one form', () => {
    createDraft('a@example.com', 'message', isText).write('mine');
    expect(createDraft('b@example.com', 'message', isText).read()).toBeUndefined();
    expect(createDraft('a@example.com', 'ticket', isText).read()).toBeUndefined();
  });

  it('ignores invalid values', () => {
    createDraft('a@example.com', 'message', (value): value is number => typeof value === 'number').write(5);
    expect(createDraft('a@example.com', 'message', isText).read()).toBeUndefined();
  });

  it('is removed with all other drafts, and nothing else', () => {
    sessionStorage.setItem('other', '"kept"');
    const draft = createDraft('a@example.com', 'message', isText);
    draft.write('mine');
    forgetInput();
    expect(draft.read()).toBeUndefined();
    expect(sessionStorage.getItem('other')).toBe('"kept"');
  });

  it('works without storage', () => {
    vi.stubGlobal('sessionStorage', undefined);
    const draft = createDraft('a@example.com', 'message', isText);
    draft.write('mine');
    expect(draft.read()).toBeUndefined();
    expect(forgetInput).not.toThrow();
  });

  it('is removed in other tabs, and with the saved filters of staff', () => {
    localStorage.setItem('staffFilters', '[]');
    const stop = watchSignOuts();
    createDraft('a@example.com', 'message', isText).write('mine');
    expect(Object.keys(sessionStorage)).toHaveLength(1);
    // The sign-out of another tab.
    localStorage.setItem('signOut', '"later"');
    storageEvents.dispatchEvent(Object.assign(new Event('storage'), { key: 'signOut' }));
    expect(Object.keys(sessionStorage)).toEqual([]);
    stop();
    forgetInput();
    expect(localStorage.getItem('staffFilters')).toBeNull();
  });

  it('of a tab that was closed during a sign-out is not read when it is opened again', () => {
    createDraft('a@example.com', 'message', isText).write('mine');
    localStorage.setItem('signOut', '"meanwhile"');
    expect(createDraft('a@example.com', 'message', isText).read()).toBeUndefined();
    watchSignOuts()();
    expect(Object.keys(sessionStorage)).toEqual([]);
  });
});

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createDraft, removeDrafts } from './drafts.ts';

const isText = (value: unknown): value is string => typeof value === 'string';

beforeEach(() => {
  const items: Record<string, string> = {};
  vi.stubGlobal(
    'sessionStorage',
    new Proxy(items, {
      get: (target, key: string) =>
        ({
          getItem: (name: string) => target[name] ?? null,
          setItem: (name: string, value: string) => (target[name] = value),
          removeItem: (name: string) => delete target[name],
        })[key],
    }),
  );
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
    removeDrafts();
    expect(draft.read()).toBeUndefined();
    expect(sessionStorage.getItem('other')).toBe('"kept"');
  });

  it('works without storage', () => {
    vi.stubGlobal('sessionStorage', undefined);
    const draft = createDraft('a@example.com', 'message', isText);
    draft.write('mine');
    expect(draft.read()).toBeUndefined();
    expect(removeDrafts).not.toThrow();
  });
});

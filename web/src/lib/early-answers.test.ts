import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { takeEarlyAnswer } from './early-answers.ts';

const URL = '/v1/profile';
const asked = { method: 'GET', headers: { authorization: 'Bearer mine' } };
let answers: NonNullable<Window['earlyAnswers']>;

beforeEach(() => {
  answers = { [URL]: { authorization: 'Bearer mine', answer: Promise.resolve(new Response('{"data":1}')) } };
  vi.stubGlobal('window', { earlyAnswers: answers });
});
afterEach(() => vi.unstubAllGlobals());

describe('takeEarlyAnswer', () => {
  it('serves one call', async () => {
    const response = await takeEarlyAnswer(URL, asked);
    expect(await response?.text()).toBe('{"data":1}');
    expect(takeEarlyAnswer(URL, asked)).toBeUndefined();
  });

  it('serves nobody who comes with another token, nor anything but a GET', () => {
    expect(takeEarlyAnswer(URL, { ...asked, method: 'PATCH' })).toBeUndefined();
    expect(takeEarlyAnswer(URL, { headers: { authorization: 'Bearer renewed' } })).toBeUndefined();
    expect(takeEarlyAnswer(URL, asked)).toBeUndefined();
  });

  it('serves what anybody may ask without a token', () => {
    answers['/v1/settings'] = { answer: Promise.resolve(new Response()) };
    expect(takeEarlyAnswer('/v1/settings', {})).toBeDefined();
  });

  it('is too old after ten seconds', () => {
    vi.spyOn(performance, 'now').mockReturnValue(10_001);
    expect(takeEarlyAnswer(URL, asked)).toBeUndefined();
    vi.restoreAllMocks();
  });

  it('ends with the time limit of the call', async () => {
    answers[URL]!.answer = new Promise(() => {});
    const late = takeEarlyAnswer(URL, {
      ...asked,
      signal: AbortSignal.abort(new DOMException('late', 'TimeoutError')),
    });
    await expect(late).rejects.toThrow('late');
    answers[URL] = { authorization: 'Bearer mine', answer: new Promise(() => {}) };
    const stopping = new AbortController();
    const aborted = takeEarlyAnswer(URL, { ...asked, signal: stopping.signal });
    stopping.abort(new Error('left'));
    await expect(aborted).rejects.toThrow('left');
  });
});

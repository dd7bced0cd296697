import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { takeEarlyResponse } from './early-responses.ts';

const URL = '/v1/profile';
const request = { method: 'GET', headers: { authorization: 'Bearer mine' } };
let responses: NonNullable<Window['earlyResponses']>;

beforeEach(() => {
  responses = { [URL]: { authorization: 'Bearer mine', response: Promise.resolve(new Response('{"data":1}')) } };
  vi.stubGlobal('window', { earlyResponses: responses });
  vi.spyOn(performance, 'now').mockReturnValue(9_999);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('takeEarlyResponse', () => {
  it('is used once', async () => {
    const response = await takeEarlyResponse(URL, request);
    expect(await response?.text()).toBe('{"data":1}');
    expect(takeEarlyResponse(URL, request)).toBeUndefined();
  });

  it('is not used for another token or method', () => {
    expect(takeEarlyResponse(URL, { ...request, method: 'PATCH' })).toBeUndefined();
    expect(takeEarlyResponse(URL, { headers: { authorization: 'Bearer renewed' } })).toBeUndefined();
    expect(takeEarlyResponse(URL, request)).toBeUndefined();
  });

  it('is used without a token for public endpoints', () => {
    responses['/v1/settings'] = { response: Promise.resolve(new Response()) };
    expect(takeEarlyResponse('/v1/settings', {})).toBeDefined();
  });

  it('expires after ten seconds', () => {
    vi.spyOn(performance, 'now').mockReturnValue(10_001);
    expect(takeEarlyResponse(URL, request)).toBeUndefined();
  });

  it('respects the abort signal of the call', async () => {
    responses[URL]!.response = new Promise(() => {});
    const late = takeEarlyResponse(URL, {
      ...request,
      signal: AbortSignal.abort(new DOMException('late', 'TimeoutError')),
    });
    await expect(late).rejects.toThrow('late');
    responses[URL] = { authorization: 'Bearer mine', response: new Promise(() => {}) };
    const stopping = new AbortController();
    const aborted = takeEarlyResponse(URL, { ...request, signal: stopping.signal });
    stopping.abort(new Error('left'));
    await expect(aborted).rejects.toThrow('left');
  });
});

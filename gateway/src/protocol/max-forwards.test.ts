import { describe, expect, it } from 'vitest';
import { forwardedOnce, lastRecipientAnswer } from './max-forwards.ts';

const request = (method: string, ...rawHeaders: string[]) => ({
  method,
  url: 'http://a.test/',
  httpVersion: '1.1',
  rawHeaders,
});

describe('Max-Forwards', () => {
  it.each(['TRACE', 'OPTIONS'])('of %s is one less for the next recipient', (method) => {
    const fields = ['X', '1', 'max-forwards', '10', 'Y', 'max-forwards'];
    expect(forwardedOnce(request(method, ...fields), fields)).toEqual([
      'X',
      '1',
      'max-forwards',
      '9',
      'Y',
      'max-forwards',
    ]);
    expect(lastRecipientAnswer(request(method, ...fields))).toBeUndefined();
  });

  it.each([
    ['GET', '0'],
    ['POST', '0'],
    ['TRACE', 'x'],
    ['OPTIONS', '-1'],
    ['OPTIONS', ''],
  ])('of %s with the value %j has no meaning', (method, value) => {
    const fields = ['Max-Forwards', value];
    expect(forwardedOnce(request(method, ...fields), fields)).toEqual(fields);
    expect(lastRecipientAnswer(request(method, ...fields))).toBeUndefined();
  });

  it('of 0 makes the gateway the last recipient, which repeats a TRACE without its secrets', () => {
    const fields = [
      'Max-Forwards',
      '0',
      'X',
      '\u00e9',
      'Cookie',
      'a=b',
      'authorization',
      'Basic x',
      'Proxy-Authorization',
      'y',
    ];
    const answer = lastRecipientAnswer(request('TRACE', ...fields));
    expect(answer?.body.toString('latin1')).toBe(
      'TRACE http://a.test/ HTTP/1.1\r\nMax-Forwards: 0\r\nX: \u00e9\r\n\r\n',
    );
    expect(answer?.fields).toEqual({ 'Content-Type': 'message/http', 'Content-Length': String(answer?.body.length) });
    expect(lastRecipientAnswer(request('OPTIONS', 'Max-Forwards', '0'))).toEqual({
      status: 200,
      fields: { 'Content-Length': '0' },
      body: Buffer.alloc(0),
    });
  });
});

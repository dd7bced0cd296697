import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeAt, findStep, newTotpSecret, totpUri } from './second-factor-codes.ts';

/** The ASCII secret "12345678901234567890" of RFC 6238, appendix B, in Base32. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const STEP = 30_000;

describe('codes', () => {
  // The RFC's table has eight digits; these are the last six.
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at %i seconds is as in RFC 6238', (seconds, code) => {
    expect(codeAt(RFC_SECRET, Math.floor(seconds / 30))).toBe(code.slice(-6));
  });

  test('are accepted from one step before to one after, and identify their step', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 133_333_333 }), fc.integer({ min: 0, max: STEP - 1 }), (step, withinMs) => {
        const now = step * STEP + withinMs;
        for (const drift of [-1, 0, 1]) {
          const found = findStep(RFC_SECRET, codeAt(RFC_SECRET, step + drift), now);
          // Two steps may have the same code by chance; then the newer one matches.
          expect(found).toBeGreaterThanOrEqual(step + drift);
          expect(codeAt(RFC_SECRET, found!)).toBe(codeAt(RFC_SECRET, step + drift));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('of two steps ago, two steps ahead, another secret or another length are refused', () => {
    const now = 1_800_000_000_000;
    const step = now / STEP;
    for (const code of [
      codeAt(RFC_SECRET, step - 2),
      codeAt(RFC_SECRET, step + 2),
      codeAt(newTotpSecret(), step),
      `${codeAt(RFC_SECRET, step)}0`,
      '',
      '١٢٣٤٥٦',
    ])
      expect(findStep(RFC_SECRET, code, now)).toBeUndefined();
  });
});

test('a secret has 160 random bits in Base32', () => {
  const secrets = Array.from({ length: 100 }, newTotpSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
});

test('the URI of the QR code contains brand and account, escaped', () => {
  expect(totpUri('ABC', 'Hop & Sons: Ltd', 'a+b@example.com')).toBe(
    'otpauth://totp/Hop%20%26%20Sons%3A%20Ltd:a%2Bb%40example.com?secret=ABC' +
      '&issuer=Hop%20%26%20Sons%3A%20Ltd&algorithm=SHA1&digits=6&period=30',
  );
});

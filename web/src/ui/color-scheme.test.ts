import { describe, expect, it } from 'vitest';
import { colorSchemeFor } from './color-scheme.ts';

const at = (hour: number, minute = 0) => new Date(2026, 10, 21, hour, minute);

describe('colorSchemeOf', () => {
  it('is the chosen theme at any hour', () => {
    expect(colorSchemeFor('LIGHT', at(23))).toBe('light');
    expect(colorSchemeFor('DARK', at(12))).toBe('dark');
  });

  it.each([
    [5, 59, 'dark'],
    [6, 0, 'light'],
    [17, 59, 'light'],
    [18, 0, 'dark'],
    [0, 0, 'dark'],
  ])('is automatic: %d:%d is %s', (hour, minute, scheme) => {
    expect(colorSchemeFor('AUTO', at(hour, minute))).toBe(scheme);
  });
});

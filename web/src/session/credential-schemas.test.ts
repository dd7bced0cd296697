import { describe, expect, it } from 'vitest';
import { formErrorMap } from '../data/form-errors.ts';
import { anyCodeSchema, appCodeSchema } from './credential-schemas.ts';

const findError = (schema: typeof appCodeSchema | typeof anyCodeSchema, value: string) =>
  schema.safeParse(value, { error: formErrorMap }).error?.issues[0]?.message;

describe('appCodeSchema', () => {
  it('accepts six digits, also in two groups', () => {
    expect(appCodeSchema.parse('123456')).toBe('123456');
    expect(appCodeSchema.parse(' 012 345 ')).toBe('012345');
  });

  it('has an error for anything else', () => {
    expect(findError(appCodeSchema, '')).toBe('required');
    expect(findError(appCodeSchema, '  ')).toBe('required');
    for (const code of ['12345', '1234567', '12345a', '١٢٣٤٥٦'])
      expect(findError(appCodeSchema, code)).toBe('sixDigits');
  });
});

describe('anyCodeSchema', () => {
  it('accepts a recovery code, too', () => {
    expect(anyCodeSchema.parse('k3vz9-pqt4x')).toBe('k3vz9-pqt4x');
    expect(anyCodeSchema.parse('123 456')).toBe('123456');
  });

  it('has an error for anything else', () => {
    expect(findError(anyCodeSchema, ' ')).toBe('required');
    expect(findError(anyCodeSchema, '12345')).toBe('minimumLength:6');
    expect(findError(anyCodeSchema, 'x'.repeat(21))).toBe('maximumLength:20');
  });
});

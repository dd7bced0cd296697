import { secondFactorCodeSchema } from '@cellhop/contract/auth.forms';
import { describe, expect, it } from 'vitest';
import { formErrorMap } from '../data/form-errors.ts';
import { appCodeSchema } from './credential-schemas.ts';

const findError = (schema: typeof appCodeSchema, value: string) =>
  schema.safeParse(value, { error: formErrorMap }).error?.issues[0]?.message;

describe('appCodeSchema', () => {
  it('accepts six digits, also in two groups', () => {
    expect(appCodeSchema.parse('123456')).toBe('123456');
    for (const typed of [' 012 345 ', '012-345', '٠١٢٣٤٥']) expect(appCodeSchema.parse(typed)).toBe('012345');
  });

  it('has an error for anything else', () => {
    expect(findError(appCodeSchema, '')).toBe('required');
    expect(findError(appCodeSchema, '  ')).toBe('required');
    for (const code of ['12345', '1234567', '12345a']) expect(findError(appCodeSchema, code)).toBe('sixDigits');
  });
});

describe('secondFactorCodeSchema', () => {
  it('accepts a recovery code, too', () => {
    expect(secondFactorCodeSchema.parse('k3vz9-pqt4x')).toBe('k3vz9pqt4x');
    expect(secondFactorCodeSchema.parse('123 456')).toBe('123456');
  });

  it('has an error for anything else', () => {
    expect(findError(secondFactorCodeSchema, ' ')).toBe('required');
    expect(findError(secondFactorCodeSchema, '12345')).toBe('minimumLength:6');
    expect(findError(secondFactorCodeSchema, 'x'.repeat(21))).toBe('maximumLength:20');
  });
});

import { signInBody } from '@cellhop/contract/auth';
import { ApiError } from '@cellhop/contract/client';
import type { ErrorCode } from '@cellhop/contract/errors';
import { createInvoiceBody } from '@cellhop/contract/invoices';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { formErrorMap, isPasswordRefused } from './form-errors.ts';

function firstMessages(schema: z.ZodType, values: unknown): Record<string, string> {
  const messages: Record<string, string> = {};
  const result = schema.safeParse(values, { error: formErrorMap });
  for (const { path, message } of result.error?.issues ?? []) messages[path.join('.')] ??= message;
  return messages;
}

function refusal(code: ErrorCode, path: string) {
  const details = [{ path, message: 'prose of the server' }];
  return new ApiError(400, code, code, { statusCode: 400, error: 'Bad Request', code, message: code, details });
}

describe('formErrorMap', () => {
  it('reports an empty field as required', () => {
    expect(firstMessages(signInBody, { email: '', password: '' })).toEqual({
      email: 'required',
      password: 'required',
    });
    expect(firstMessages(createInvoiceBody, {})).toEqual({ amount: 'required', currency: 'required' });
  });

  it('contains the violated bound', () => {
    expect(firstMessages(signInBody, { email: 'a@b.co', password: 'short' })).toEqual({ password: 'minimumLength:8' });
    expect(firstMessages(signInBody, { email: 'a@b.co', password: 'x'.repeat(351) })).toEqual({
      password: 'maximumLength:350',
    });
    expect(firstMessages(createInvoiceBody, { amount: 4.99, currency: 'BTC' })).toEqual({ amount: 'minimum:5' });
    expect(firstMessages(createInvoiceBody, { amount: 100_001, currency: 'BTC' })).toEqual({
      amount: 'maximum:100000',
    });
  });
});

describe('isPasswordRefused', () => {
  it('is true only for the new password', () => {
    expect(isPasswordRefused(refusal('VALIDATION', 'body.password'))).toBe(true);
    expect(isPasswordRefused(refusal('VALIDATION', 'body.email'))).toBe(false);
    expect(isPasswordRefused(refusal('WRONG_PASSWORD', 'body.password'))).toBe(false);
    expect(isPasswordRefused(new ApiError(400, 'VALIDATION', 'no details'))).toBe(false);
    expect(isPasswordRefused(new Error('something else'))).toBe(false);
  });
});

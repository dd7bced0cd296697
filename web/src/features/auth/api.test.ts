import { describe, expect, it } from 'vitest';
import { setPasswordForm, signUpForm } from './api.ts';

describe('signUpForm', () => {
  const valid = { email: 'a@b.co', password: 'long-enough', confirmPassword: 'long-enough', referralCode: 'WELCOME' };

  it('takes equal passwords', () => {
    expect(signUpForm.safeParse(valid).success).toBe(true);
  });

  it('compares the passwords even while other fields are wrong', () => {
    const { error } = signUpForm.safeParse({ ...valid, email: 'bad', confirmPassword: 'other' });
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['email', 'confirmPassword']);
  });
});

describe('setPasswordForm', () => {
  it('refuses a confirmation that differs', () => {
    const { error } = setPasswordForm.safeParse({ password: 'long-enough', confirmPassword: 'long-enougj' });
    expect(error?.issues[0]?.message).toBe('passwordsDiffer');
  });
});

import { describe, expect, it, vi } from 'vitest';

// There is only one tab.
vi.hoisted(() => vi.stubGlobal('addEventListener', () => undefined));
const { setPasswordForm, signUpForm } = await import('./forms.ts');

describe('signUpForm', () => {
  const valid = { email: 'a@b.co', password: 'long-enough', confirmPassword: 'long-enough', referralCode: 'WELCOME' };

  it('accepts equal passwords', () => {
    expect(signUpForm.safeParse(valid).success).toBe(true);
  });

  it('compares the passwords even while other fields are invalid', () => {
    const { error } = signUpForm.safeParse({ ...valid, email: 'bad', confirmPassword: 'other' });
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['email', 'confirmPassword']);
  });
});

describe('setPasswordForm', () => {
  it('refuses a different confirmation', () => {
    const { error } = setPasswordForm.safeParse({ password: 'long-enough', confirmPassword: 'long-enougj' });
    expect(error?.issues[0]?.message).toBe('passwordsDiffer');
  });
});

import { expect, it } from 'vitest';
import { openApp, refusal } from '../../../test/open-app.tsx';

const words = {
  en: {
    submit: 'Sign up',
    required: 'Required field',
    mistakes: ['Invalid email format', 'Minimum length 8', 'Passwords do not match', 'Minimum length 5'],
    tooLong: 'Maximum length 350',
    fields: { email: /^Email/, password: /^Password/, confirm: /^Confirm password/, code: /^Referral code/ },
    unknownCode: 'Referral code not found',
  },
  ru: {
    submit: 'Зарегистрироваться',
    required: 'Обязательное поле',
    mistakes: ['Неверный формат email', 'Минимальная длина 8', 'Пароли не совпадают', 'Минимальная длина 5'],
    tooLong: 'Максимальная длина 350',
    fields: { email: /^Email/, password: /^Пароль/, confirm: /^Повторите пароль/, code: /^Реферальный код/ },
    unknownCode: 'Реферальный код не найден',
  },
} as const;

const PASSWORD = 'a long enough password';

async function openForm(language: 'en' | 'ru', path = '/sign-up') {
  const app = await openApp(path, { isSignedIn: false, language });
  const { submit, fields } = words[language];
  const button = await app.screen.findByRole('button', { name: submit });
  const field = (name: keyof typeof fields) => app.screen.getByLabelText(fields[name], { selector: 'input' });
  const fill = (name: keyof typeof fields, text: string) => app.fill(field(name), text);
  return { ...app, fill, submit: () => app.user.click(button) };
}

it.each(['en', 'ru'] as const)(
  'shows errors under the fields, and an unknown code above them, in %s',
  async (language) => {
    const { required, mistakes, tooLong, unknownCode } = words[language];
    const { api, fill, screen, submit } = await openForm(language);
    await submit();
    expect(await screen.findAllByText(required)).toHaveLength(4);
    await fill('email', 'not an email');
    await fill('password', 'short');
    await fill('confirm', 'other');
    await fill('code', 'abc');
    for (const text of mistakes) await screen.findByText(text);
    await fill('password', 'x'.repeat(351));
    await screen.findByText(tooLong);

    api.set({ 'POST /v1/auth/sign-up': refusal(404, 'REFERRAL_CODE_NOT_FOUND') });
    await fill('email', 'careful@example.com');
    await fill('password', PASSWORD);
    await fill('confirm', PASSWORD);
    await fill('code', 'NOSUCHCODE');
    await submit();
    expect((await screen.findByRole('alert')).textContent).toContain(unknownCode);
  },
);

it('shows that an email is taken', async () => {
  const { api, fill, screen, submit } = await openForm('en', '/sign-up?rc=WELCOME');
  api.set({ 'POST /v1/auth/sign-up': refusal(409, 'EMAIL_EXISTS') });
  await fill('email', 'user@example.com');
  await fill('password', PASSWORD);
  await fill('confirm', PASSWORD);
  await submit();
  expect((await screen.findByRole('alert')).textContent).toContain('Email is already taken');
});

it.each([
  [
    'en',
    'By signing up you accept the terms of service and the rules of acceptable use. The privacy notice says what we store.',
  ],
  [
    'ru',
    'Регистрируясь, вы принимаете условия использования и правила использования. Что мы храним, говорится в политике конфиденциальности.',
  ],
] as const)('links what a sign-up accepts, in %s', async (language, sentence) => {
  const { screen } = await openForm(language);
  const terms = screen.getByText((_, element) => element?.tagName === 'P' && element.textContent === sentence);
  expect([...terms.querySelectorAll('a')].map((link) => [link.getAttribute('href'), link.target])).toEqual([
    ['/legal/terms', '_blank'],
    ['/legal/acceptable-use', '_blank'],
    ['/legal/privacy', '_blank'],
  ]);
});

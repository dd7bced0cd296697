import { expect, it } from 'vitest';
import { openApp, refusal } from '../../../test/open-app.tsx';

const FAQ = 'GET /v1/faqs';
const texts = {
  en: [
    { id: '1', question: 'What is this?', response: 'A shop.' },
    { id: '2', question: 'What do I pay for?', response: 'For traffic.' },
  ],
  ru: [
    { id: '1', question: 'Что это?', response: 'Магазин.' },
    { id: '2', question: 'За что я плачу?', response: 'За трафик.' },
  ],
};

it('shows questions and answers in the chosen language, after a failure, and leads to support', async () => {
  const { api, screen, user } = await openApp('/faq', {
    answers: {
      [FAQ]: refusal(500, 'INTERNAL'),
      'PATCH /v1/profile': refusal(500, 'INTERNAL'),
      'GET /v1/support/tickets': { data: [], totalPages: 0 },
    },
  });
  expect((await screen.findByRole('alert')).textContent).toContain('Failed loaded faq list');
  api.set({ [FAQ]: ({ url }) => ({ data: texts[url.searchParams.get('languageCode') as 'en' | 'ru'] }) });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  const isOpen = (question: string) => screen.getByText(question).closest('details')?.open;
  await screen.findByText('For traffic.');
  expect([isOpen('What is this?'), isOpen('What do I pay for?')]).toEqual([true, false]);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Language' }), 'ru');
  await screen.findByText('За что я плачу?');
  expect(screen.queryByText('What do I pay for?')).toBeNull();
  await user.click(screen.getByRole('link', { name: 'Напишите в поддержку' }));
  await screen.findByRole('dialog');
  expect(location.pathname + location.search).toBe('/support/tickets?create=true');
});

import type { Ticket } from '@cellhop/contract/tickets';
import { within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openApp, refusal } from '../../../test/open-app.tsx';

const ID = '00000000-0000-4000-8000-000000000001';
const ticket: Ticket = {
  id: ID,
  name: 'Нет связи',
  description: 'С самого утра.',
  status: 'OPEN',
  createdAt: '2026-11-21T09:41:00.000Z',
};
const TICKETS = '/v1/support/tickets';

it('shows a failure, mistakes and a limit in Russian', async () => {
  const { api, screen, user } = await openApp('/support/tickets', {
    language: 'ru',
    answers: { [`GET ${TICKETS}`]: refusal(500, 'INTERNAL') },
  });
  expect((await screen.findByRole('alert')).textContent).toContain('Не удалось загрузить обращения');
  api.set({ [`GET ${TICKETS}`]: { data: [], totalPages: 0 } });
  await user.click(screen.getByRole('button', { name: 'Повторить' }));
  await expect.poll(() => screen.queryByRole('alert')).toBeNull();

  await user.click(screen.getAllByRole('button', { name: 'Создать обращение' })[0]!);
  const dialog = within(await screen.findByRole('dialog'));
  const submit = await dialog.findByRole('button', { name: 'Создать обращение' });
  await user.click(submit);
  expect(await dialog.findAllByText('Обязательное поле')).toHaveLength(2);
  await user.type(dialog.getByLabelText(/^Тема/), 'Нет');
  await user.type(dialog.getByLabelText(/^Описание/), '      ');
  await dialog.findByText('Минимальная длина 5');
  await dialog.findByText('Поле не может состоять из одних пробелов');
  const limited = refusal(429, 'RATE_LIMITED');
  limited.headers.set('retry-after', '780');
  api.set({ [`POST ${TICKETS}`]: limited });
  await user.type(dialog.getByLabelText(/^Тема/), ' связи');
  await user.type(dialog.getByLabelText(/^Описание/), 'С самого утра.');
  await user.click(submit);
  expect((await dialog.findByRole('alert')).textContent).toContain('Попробуйте через 13 минут или');
});

it('keeps a message that was refused, in Russian', async () => {
  const { screen, user } = await openApp(`/support/tickets/${ID}`, {
    language: 'ru',
    answers: {
      [`GET ${TICKETS}`]: { data: [ticket], totalPages: 1 },
      [`GET ${TICKETS}/${ID}`]: { data: ticket },
      [`GET ${TICKETS}/${ID}/messages`]: { data: [], totalPages: 0 },
      [`POST ${TICKETS}/${ID}/messages`]: refusal(409, 'TICKET_CLOSED'),
    },
  });
  const message = await screen.findByLabelText<HTMLTextAreaElement>(/^Ваше сообщение/);
  await user.type(message, 'Ещё вопрос');
  await user.click(screen.getByRole('button', { name: 'Отправить' }));
  await screen.findByText('Это обращение уже закрыто');
  expect(message.value).toBe('Ещё вопрос');
  await user.click(screen.getByRole('button', { name: 'Закрыть обращение' }));
  await within(await screen.findByRole('dialog')).findByRole('heading', { name: 'Закрыть обращение?' });
});

it('says that a ticket of another user does not exist, in Russian', async () => {
  const { screen } = await openApp(`/support/tickets/${ID}`, {
    language: 'ru',
    answers: {
      [`GET ${TICKETS}/${ID}`]: refusal(404, 'NOT_FOUND'),
      [`GET ${TICKETS}/${ID}/messages`]: refusal(404, 'NOT_FOUND'),
    },
  });
  expect((await screen.findByRole('alert')).textContent).toContain('Обращение не найдено.');
});

import { fireEvent } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openApp } from '../../test/open-app.tsx';

const notJson = (name: string) => new File(['no receipt'], name, { type: 'application/json' });

it('takes a file that is chosen or dropped, in the language of the app, and the same one again', async () => {
  const { screen, user } = await openApp('/check-receipt', { language: 'ru', isSignedIn: false });
  const input = await screen.findByLabelText<HTMLInputElement>('Чек, подписанный файл JSON');
  const zone = input.closest('label')!;
  // By keyboard.
  screen.getByRole('heading', { level: 1 }).focus();
  await user.tab();
  expect(document.activeElement).toBe(input);
  expect(zone.textContent).toContain('Выберите файл или перетащите его сюда');
  const check = screen.getByRole('button', { name: 'Проверить' });
  await user.click(check);
  await screen.findByText('Файл не выбран');
  expect(input.getAttribute('aria-invalid')).toBe('true');

  await user.upload(input, notJson('first.json'));
  expect(zone.textContent).toContain('first.json');
  await user.click(check);
  await screen.findByText(/не чек в формате JSON/);
  expect(input.value).toBe('');

  fireEvent.dragEnter(zone);
  await expect.poll(() => zone.dataset['over']).toBe('true');
  const dropped = { dataTransfer: { files: [notJson('dropped.json')] } };
  // The event is not left to the browser, which would open the file.
  expect(fireEvent.drop(zone, dropped)).toBe(false);
  expect(zone.dataset['over']).toBe('false');
  expect(zone.textContent).toContain('dropped.json');

  // A drop without a file, such as of a link, changes nothing.
  fireEvent.drop(zone, { dataTransfer: { files: [] } });
  expect(zone.textContent).toContain('dropped.json');
});

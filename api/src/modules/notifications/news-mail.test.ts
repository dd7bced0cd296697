import { expect, test } from 'vitest';
import { unsubscribeLink } from '../../mail/unsubscribe-link.ts';
import { toNewsMail, toPlainText } from './news-mail.ts';

const config = { publicUrl: 'https://shop.example', secretKeys: ['x'.repeat(32)] } as const;
const reader = { id: '00000000-0000-4000-8000-000000000001', email: 'reader@example.com', languageCode: 'en' } as const;

test.each([
  ['plain &#60;text&#62;', 'plain <text>'],
  ['<b>a</b><br>b', 'a\nb'],
  ['<ul><li>one</li><li>two</li></ul>', '- one\n- two'],
  ['<a href="https://a.example">more</a>', 'more (https://a.example)'],
  ['<a href="https://a.example">https://a.example</a>', 'https://a.example'],
])('%s is read as text', (html, text) => {
  expect(toPlainText(html)).toBe(text);
});

test('a mail has its text as subject, and links to pages of the shop with their origin', () => {
  const { values, to } = toNewsMail(config, reader, {
    description: '<b>News</b> about <a href="/faq">the FAQ</a>',
    content: '<a href="https://a.example" target="_blank">elsewhere</a>',
  });
  expect(to).toBe(reader.email);
  expect(values.subject).toBe('News about the FAQ');
  expect(values.html[0]).toContain('<a href="https://shop.example/faq">');
  expect(values.text).toBe('News about the FAQ (https://shop.example/faq)\n\nelsewhere (https://a.example)');
  expect(values.link).toBe(unsubscribeLink(config, reader.id));
});

test('a long text is cut after a word for the subject', () => {
  const { values } = toNewsMail(config, reader, { description: 'word '.repeat(100) });
  expect(values.subject.length).toBeLessThanOrEqual(121);
  expect(values.subject).toMatch(/word…$/);
});

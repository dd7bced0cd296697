import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { wrapTexts } from '../../test/translator.ts';
import { acceptTranslators } from './translated-page.ts';

beforeAll(acceptTranslators);
afterEach(() => document.body.replaceChildren());

function open(html: string): HTMLElement {
  document.body.innerHTML = `<main>${html}</main>`;
  return document.querySelector('main')!;
}

describe('on a translated page', () => {
  it('a text is removed together with what the translator has put around it', () => {
    const main = open('<b>one</b>two');
    const text = main.lastChild!;
    wrapTexts();
    expect(main.removeChild(text)).toBe(text);
    expect(main.textContent).toBe('one');
  });

  it('an element is inserted before a text', () => {
    const main = open('one');
    const text = main.firstChild!;
    wrapTexts();
    main.insertBefore(document.createElement('i'), text);
    expect(main.innerHTML).toBe('<i></i><font><font>one</font></font>');
  });

  it('a text that the translator has replaced is no error', () => {
    const main = open('one');
    const text = main.firstChild!;
    main.replaceChildren('eins');
    expect(main.removeChild(text)).toBe(text);
    main.insertBefore(document.createElement('i'), text);
    expect(main.innerHTML).toBe('eins<i></i>');
  });
});

it('elsewhere nothing changes', () => {
  const main = open('<b>one</b>two');
  const [bold, text] = [main.firstElementChild!, main.lastChild!];
  main.insertBefore(text, bold);
  expect(main.innerHTML).toBe('two<b>one</b>');
  main.insertBefore(document.createElement('i'), null);
  main.removeChild(text);
  expect(main.innerHTML).toBe('<b>one</b><i></i>');
  expect(() => document.body.removeChild(bold)).toThrow('not a child');
  expect(() => document.body.insertBefore(text, bold)).toThrow('not a child');
});

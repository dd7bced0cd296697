import './shipped-react.ts';
import { configure } from '@testing-library/react';
import { afterAll, vi } from 'vitest';

// The default of one second is too short on a busy machine.
configure({ asyncUtilTimeout: 20_000 });

// A test may end while the app still loads the code of what is behind a link or a button. After its file nothing can be loaded any more.
afterAll(() => vi.dynamicImportSettled());

// Without transitions, which take renders and time, and end only after the next frames. Tests in a real browser have none either.
const { happyDOM } = window as unknown as {
  happyDOM: { settings: { device: { prefersReducedMotion: 'reduce' | 'no-preference' } } };
};
happyDOM.settings.device.prefersReducedMotion = 'reduce';

const NOT_SHOWN = /^(?:DATALIST|HEAD|LINK|META|SCRIPT|STYLE|TEMPLATE|TITLE)$/;
const INLINE =
  /^(?:A|ABBR|B|BDI|BR|CODE|DATA|DEL|EM|I|IMG|INS|KBD|LABEL|MARK|OUTPUT|Q|S|SMALL|SPAN|STRONG|SUB|SUP|TIME|U|VAR|WBR)$/;
const computeStyle = window.getComputedStyle.bind(window);

/**
 * Names of elements depend on the styles of all elements in them, and happy-dom searches all style sheets for each of them, which took a
 * sixth of the time of these tests. No style sheet of the app is loaded here: only attributes say what is hidden.
 */
window.getComputedStyle = (element, pseudoElement) => {
  // Media queries depend on its font.
  if (element === document.documentElement) return computeStyle(element, pseudoElement);
  const { style } = element as HTMLElement;
  const read = (name: string) => (pseudoElement ? '' : style.getPropertyValue(name) || readDefault(element, name));
  return new Proxy(style, {
    get: (target, name) =>
      name === 'getPropertyValue' ? read : (Reflect.get(target, name) as unknown) || readDefault(element, String(name)),
  });
};

function readDefault({ tagName, parentElement }: Element, name: string): string {
  if (name === 'visibility') return parentElement ? window.getComputedStyle(parentElement).visibility : 'visible';
  if (name !== 'display') return '';
  if (NOT_SHOWN.test(tagName)) return 'none';
  return INLINE.test(tagName) ? 'inline' : 'block';
}

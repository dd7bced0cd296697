import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openTerminal } from './terminal.ts';

const REFUSED = 'That has a line break in it or more text after it, so nothing of it was taken.';

/** @param isTTY whether somebody types at a terminal, which echoes only what the program writes */
function open(isTTY: boolean, pause = (): Promise<void> => turn()) {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => input });
  const output = Object.assign(new PassThrough(), { isTTY });
  let written = '';
  output.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const terminal = openTerminal(input as unknown as NodeJS.ReadStream, output as unknown as NodeJS.WriteStream, pause);
  const type = (text: string) => void input.write(text);
  return {
    terminal,
    type,
    /** As somebody does who waits for the question. */
    answer: async (prompt: string, ...texts: string[]) => {
      await expect.poll(() => written).toContain(prompt);
      for (const text of texts) type(text);
    },
    end: () => void input.end(),
    written: () => written,
  };
}

test('shows what is typed, but nothing of what is typed hidden, not even while it is edited', async () => {
  const { terminal, answer, written } = open(true);
  const secret = terminal.askHidden('Words: ');
  await answer('Words: ', ...'abandx'.split(''), '\u007f', '\u001B[D\u001B[C', 'on\r');
  expect(await secret).toBe('abandon');
  const shown = terminal.ask('Destination: ');
  await answer('Destination: ', '0xAbc\r');
  expect(await shown).toBe('0xAbc');
  expect(written()).toContain('Words: \n');
  expect(written()).toContain('0xAbc');
  expect(written()).not.toMatch(/[a-z]band|abandx|andon/);
  // The arrow that goes back in a history would show it.
  const other = terminal.ask('Again: ');
  await answer('Again: ', '\u001B[A\r');
  expect(await other).toBe('');
  expect(written()).not.toContain('abandon');
  terminal.close();
});

test('what was typed before a question is no answer to it, and is not shown', async () => {
  let pauses = 0;
  const { terminal, type, answer, written } = open(true, async () => {
    // Somebody goes on typing while the program waits for silence.
    if ((pauses += 1) <= 5) type(`early ${pauses}${pauses % 2 ? '\r' : ' rest'}`);
    await turn();
  });
  type('first\rsecond');
  const asked = terminal.ask('Destination: ');
  await answer('Destination: ', 'mine\r');
  expect(await asked).toBe('mine');
  expect(written()).not.toMatch(/early|rest|first|second/);
  expect(written()).not.toContain(REFUSED);
  // Nor does any key bring it back.
  const again = terminal.ask('Again: ');
  await answer('Again: ', '\u0019\u001F\u001B[A\r');
  expect(await again).toBe('');
  terminal.close();
});

test.each([
  ['of four lines', '0xThief\ryes\r169EE7\rother\r'],
  ['of one line and a half', '0xThief\rother'],
  ['with a line feed', '0xThief\nother\n'],
  ['that the terminal marks, whose last character is the line break', '\u001B[200~0xThief\r\u001B[201~'],
])('a paste %s answers nothing, and the question is asked again', async (_title, text) => {
  const { terminal, answer, written } = open(true);
  const asked = terminal.ask('Destination: ');
  await answer('Destination: ', text);
  await answer(`${REFUSED} Type it again, as one line.\n`);
  await expect.poll(() => written().match(/Destination: /g)!.length).toBe(2);
  await answer('', '\u001B[200~0xMine\u001B[201~', '\r');
  expect(await asked).toBe('0xMine');
  expect(written()).not.toMatch(/other|169EE7|yes/);
  terminal.close();
});

test('lines of a scanner, each as fast as a keyboard, answer nothing', async () => {
  const keys = '0xThief\r169EE7\r'.split('');
  const { terminal, type, answer, written } = open(true, async () => {
    if (keys.length < 15 && keys.length > 0) type(keys.shift()!);
    await turn();
  });
  const asked = terminal.ask('Destination: ');
  await answer('Destination: ', ...keys.splice(0, 8));
  await answer(REFUSED);
  expect(keys).toEqual([]);
  await expect.poll(() => written().match(/Destination: /g)!.length).toBe(2);
  await answer('', '0xMine\r');
  expect(await asked).toBe('0xMine');
  terminal.close();
});

test('asks the terminal to mark pastes while it is open', () => {
  const { terminal, written } = open(true);
  terminal.close();
  expect(written()).toBe('\u001B[?2004h\u001B[?2004l');
});

test('takes lines of a pipe that arrive before they are asked for, and keeps the spaces of hidden ones', async () => {
  const { terminal, type } = open(false);
  expect(terminal.isInteractive).toBe(false);
  type('first \n second \nthird\n');
  expect(await terminal.ask('1: ')).toBe('first');
  expect(await terminal.askHidden('2: ')).toBe(' second ');
  expect(await terminal.ask('3: ')).toBe('third');
  terminal.close();
});

test('an end of the input, or Ctrl-C, refuses the question that waits and all others', async () => {
  const piped = open(false);
  const waiting = piped.terminal.ask('1: ');
  piped.end();
  await expect(waiting).rejects.toThrow('Interrupted: nothing was signed.');
  await expect(piped.terminal.askHidden('2: ')).rejects.toThrow('Interrupted');
  const typed = open(true);
  const interrupted = typed.terminal.askHidden('1: ');
  await typed.answer('1: ', 'aband\u0003');
  await expect(interrupted).rejects.toThrow('Interrupted');
  const late = open(true);
  const answered = late.terminal.ask('1: ');
  await late.answer('1: ', 'yes\r\u0003');
  await expect(answered).rejects.toThrow('Interrupted');
  await expect(late.terminal.ask('2: ')).rejects.toThrow('Interrupted');
});

test('writes no escape codes', () => {
  const { terminal, written } = open(false);
  terminal.say('a\u001B[2Jb\u202Ec\rd\ne');
  expect(written()).toBe('a?[2Jb?c?d\ne\n');
  terminal.close();
});

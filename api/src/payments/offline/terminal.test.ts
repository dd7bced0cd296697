import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { openTerminal } from './terminal.ts';

/** @param isTTY whether somebody types at a terminal, which echoes only what the program writes */
function open(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => input });
  const output = new PassThrough();
  let written = '';
  output.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const terminal = openTerminal(input as unknown as NodeJS.ReadStream, output as unknown as NodeJS.WriteStream);
  return {
    terminal,
    type: (text: string) => void input.write(text),
    end: () => void input.end(),
    written: () => written,
  };
}

test('shows what is typed, but nothing of what is typed hidden, not even while it is edited', async () => {
  const { terminal, type, written } = open(true);
  const secret = terminal.askHidden('Words: ');
  for (const key of 'abandx') type(key);
  type('\u007f');
  type('\u001B[D\u001B[C');
  type('on\r');
  expect(await secret).toBe('abandon');
  const shown = terminal.ask('Destination: ');
  type('0xAbc\r');
  expect(await shown).toBe('0xAbc');
  expect(written()).toContain('Words: \n');
  expect(written()).toContain('0xAbc');
  expect(written()).not.toMatch(/[a-z]band|abandx|andon/);
  // The arrow that goes back in a history would show it.
  const other = terminal.ask('Again: ');
  type('\u001B[A\r');
  expect(await other).toBe('');
  expect(written()).not.toContain('abandon');
  terminal.close();
});

test('takes lines that arrive before they are asked for, and keeps the spaces of hidden ones', async () => {
  const { terminal, type } = open(false);
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
  typed.type('aband\u0003');
  await expect(interrupted).rejects.toThrow('Interrupted');
});

test('writes no escape codes', () => {
  const { terminal, written } = open(false);
  terminal.say('a\u001B[2Jb\u202Ec\rd\ne');
  expect(written()).toBe('a?[2Jb?c?d\ne\n');
  terminal.close();
});

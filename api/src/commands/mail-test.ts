import { parseArgs } from 'node:util';
import { z } from 'zod';
import { sendTestMail } from '../mail/mailer.ts';
import type { Command } from './command.ts';

export const mailTest: Command = {
  name: 'mail-test',
  summary: 'Sends one email to an address and prints the answer of the SMTP server',
  usage: 'ADDRESS',
  parse(given) {
    const { positionals } = parseArgs({ args: [...given], allowPositionals: true });
    const address = z.email().safeParse(positionals[0]);
    if (!address.success || positionals.length > 1) throw new Error('mail-test needs one email address');
    return {
      kind: 'question',
      needsSchema: false,
      async run({ config }) {
        try {
          return `The server has accepted it: ${await sendTestMail(config, address.data)}`;
        } catch (error) {
          throw new Error(`The email was not sent: ${(error as Error).message}`, { cause: error });
        }
      },
    };
  },
};

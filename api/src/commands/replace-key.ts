import { commandLine } from '@cellhop/contract/command-line';
import { parseArgs } from 'node:util';
import { recordKey } from '../modules/installation/installation.service.ts';
import { countSecrets } from '../modules/key-rotation/key-rotation.service.ts';
import type { Command } from './command.ts';

export const replaceKey: Command = {
  name: 'replace-key',
  summary: 'Goes on with the SECRET_KEY of the settings when the key of the database is lost for good',
  usage: '[--lost]',
  details: 'Without --lost it only says what cannot be read without the lost key.',
  parse(given) {
    const { values } = parseArgs({ args: [...given], options: { lost: { type: 'boolean' } } });
    return {
      kind: values.lost ? 'change' : 'question',
      acceptsKey: true,
      async run(ctx) {
        const { passwords, secondFactors, recoveryCodes, exits } = await countSecrets(ctx);
        if (values.lost) await recordKey(ctx);
        return [
          `${values.lost ? 'Lost' : 'Without its key these are lost'}: ${passwords} passwords of connections, ${secondFactors} second factors with ` +
            `${recoveryCodes} recovery codes, credentials of ${exits} exits, all sessions, and emails in the queue.`,
          'Customers sign in again and give their connections new passwords. Import the exits with their credentials again.',
          values.lost
            ? `The key of the database is now the first one of SECRET_KEY: ${commandLine('api')}`
            : `Nothing was changed. To go on without them: ${commandLine('replace-key', '--lost')}`,
        ].join('\n');
      },
    };
  },
};

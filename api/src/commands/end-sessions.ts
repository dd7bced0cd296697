import { parseArgs } from 'node:util';
import { endEverySession } from '../modules/auth/every-session.service.ts';
import type { Command } from './command.ts';

export const endSessions: Command = {
  name: 'end-sessions',
  summary: 'Ends the sessions of all users, such as after a leak',
  usage: '[--reset-passwords]',
  details:
    '--reset-passwords: no password works any more, those of staff included: users set a new one by the link of "Forgot your password?".',
  parse(given) {
    const { values } = parseArgs({ args: [...given], options: { 'reset-passwords': { type: 'boolean' } } });
    return {
      kind: 'change',
      async run(ctx) {
        const { endedCount, resetCount } = await endEverySession(ctx, values['reset-passwords'] ?? false);
        return [
          `${endedCount} sessions were ended: their users sign in again.`,
          ...(resetCount === undefined
            ? []
            : [`${resetCount} passwords were reset: their users recover them by email.`]),
        ].join('\n');
      },
    };
  },
};

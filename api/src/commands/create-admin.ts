import { emailSchema, passwordSchema } from '@cellhop/contract/auth';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { makeAdministrator } from '../modules/auth/administrators.service.ts';
import { seedRoles } from '../seed/roles.ts';
import type { Command } from './command.ts';

export const createAdmin: Command = {
  name: 'create-admin',
  summary: 'Creates an administrator, or promotes an existing user',
  usage: 'email [--password-stdin] [--reset-second-factor]',
  details: `Without --password-stdin it prints a link with which the administrator sets their password.
With it the password is the first line of the standard input.`,
  subject: 'The password',
  parse(given) {
    const { values, positionals } = parseArgs({
      args: [...given],
      options: { 'password-stdin': { type: 'boolean' }, 'reset-second-factor': { type: 'boolean' } },
      allowPositionals: true,
    });
    const [typed, ...rest] = positionals;
    if (typed === undefined || rest.length > 0) throw new Error('Name one email.');
    const email = check(emailSchema, typed, 'The email');
    return {
      kind: 'change',
      async run(ctx, terminal) {
        const password = values['password-stdin']
          ? check(passwordSchema, (await terminal.read()).split(/\r?\n/)[0]!, 'The password')
          : undefined;
        await seedRoles(ctx);
        const request = { email, password, resetsSecondFactor: values['reset-second-factor'] ?? false };
        const { isNew, referralCode, passwordLink } = await makeAdministrator(ctx, request);
        return [
          `${email} is ${isNew ? 'a new' : 'now an'} administrator.`,
          ...(passwordLink === undefined ? [] : [`Set the password within 30 minutes: ${passwordLink}`]),
          `Others sign up with the referral code ${referralCode}.`,
        ].join('\n');
      },
    };
  },
};

function check<T extends z.ZodType>(schema: T, value: unknown, name: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(`${name} is not valid: ${parsed.error.issues[0]!.message}`);
  return parsed.data;
}

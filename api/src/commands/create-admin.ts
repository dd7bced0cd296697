/** `npm run create-admin -- email`: creates an administrator, or promotes an existing user. Migrates the database if needed. */
import { emailSchema, passwordSchema } from '@cellhop/contract/auth';
import { AppError } from '@cellhop/contract/errors';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { loadConfig } from '../process/config.ts';
import { createCtx } from '../ctx.ts';
import { openDatabase } from '../db/db.ts';
import { createLog } from '../process/log.ts';
import { migrate } from '../db/migrate.ts';
import { makeAdministrator } from '../modules/auth/administrators.service.ts';
import { seedRoles } from '../seed/roles.ts';

const USAGE = `npm run create-admin -- email [--password-stdin] [--reset-second-factor]

Without --password-stdin it prints a link with which the administrator sets their password.
With it the password is the first line of the standard input.`;

/** @throws AppError, Error with a message for the operator */
async function run(): Promise<string> {
  const { values, positionals } = parseArgs({
    options: { 'password-stdin': { type: 'boolean' }, 'reset-second-factor': { type: 'boolean' } },
    allowPositionals: true,
  });
  const [typed, ...rest] = positionals;
  if (typed === undefined || rest.length > 0) throw new Error(`Usage: ${USAGE}`);
  const email = check(emailSchema, typed, 'The email');
  const password = values['password-stdin']
    ? check(passwordSchema, (await text(process.stdin)).split(/\r?\n/)[0]!, 'The password')
    : undefined;

  const config = loadConfig();
  await migrate(config.databaseUrl);
  const database = openDatabase(config.databaseUrl, 2);
  try {
    const ctx = createCtx(database, config, createLog('create-admin', 'warn', false));
    await seedRoles(ctx);
    const request = { email, password, resetsSecondFactor: values['reset-second-factor'] ?? false };
    const { isNew, referralCode, passwordLink } = await makeAdministrator(ctx, request);
    return [
      `${email} is ${isNew ? 'a new' : 'now an'} administrator.`,
      ...(passwordLink === undefined ? [] : [`Set the password within 30 minutes: ${passwordLink}`]),
      `Others sign up with the referral code ${referralCode}.`,
    ].join('\n');
  } finally {
    await database.close();
  }
}

function check<T extends z.ZodType>(schema: T, value: unknown, name: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(`${name} is not valid: ${parsed.error.issues[0]!.message}`);
  return parsed.data;
}

try {
  console.log(await run());
} catch (error) {
  const detail = error instanceof AppError ? error.details?.[0]?.message : undefined;
  console.error(detail ? `The password ${detail}.` : error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

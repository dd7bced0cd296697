import { parseArgs } from 'node:util';
import type { Ctx } from '../ctx.ts';
import { registerNode } from '../modules/gateway/gateway.service.ts';
import { recordStart } from '../modules/installation/installation.service.ts';
import { planMigration } from '../modules/installation/migration-plan.service.ts';
import { seed } from '../seed/seed.ts';
import type { Command } from './command.ts';

/** Runs before the other programs: in production nothing else migrates. */
export const migrate: Command = {
  name: 'migrate',
  summary: 'Gives the database the schema of this release, and in development the demo',
  usage: '[--plan]',
  details:
    '--plan: only says what it would do, what that blocks, and which releases work on the database afterwards. Changes nothing.',
  parse(given) {
    const { values } = parseArgs({ args: [...given], options: { plan: { type: 'boolean' } } });
    return values.plan
      ? { kind: 'question', needsSchema: false, run: planMigration }
      : { kind: 'migration', run: begin };
  },
};

/** @param ctx of a database that has just been migrated */
async function begin(ctx: Ctx): Promise<string> {
  await recordStart(ctx);
  await registerNode(ctx);
  await seed(ctx);
  return '';
}

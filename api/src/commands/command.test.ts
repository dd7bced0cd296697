import { AppError } from '@cellhop/contract/errors';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cloneDatabase } from '../../../tools/test-database.mjs';
import { Operator } from '../../test/operator.ts';
import { type Command, type Order, runCommand } from './command.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let admin: Client;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  clone = await cloneDatabase(inject('postgresUrl'));
  admin = new Client(clone.url);
  await admin.connect();
  env = { DATABASE_URL: clone.url, SECRET_KEY: 's'.repeat(32), GATEWAY_TOKEN: 't'.repeat(16) };
});
afterAll(async () => {
  await admin.end();
  await clone.drop();
});

const toCommand = (order: Order): Command => ({
  name: 'water',
  summary: 'Waters the plants',
  usage: 'PLANT',
  details: 'Twice a week.',
  subject: 'The plant',
  parse([plant]) {
    if (plant === undefined) throw new Error('Which plant?');
    return order;
  },
});

async function call(
  run: Order['run'],
  { values = ['fern'], kind = 'question', operator = new Operator(env) }: Call = {},
) {
  const code = await runCommand([toCommand({ kind, run })], ['water', ...values], operator);
  return { code, output: operator.output, errors: operator.errors };
}
interface Call {
  values?: string[];
  kind?: Order['kind'];
  operator?: Operator;
}

/** Of other processes than this test. */
async function countConnections(): Promise<number> {
  const { rows } = await admin.query<{ count: number }>(
    'select count(*)::int from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  return rows[0]!.count;
}

const HELP = 'Usage: npm run water -- PLANT\n\nWaters the plants.\n\nTwice a week.\n';

describe('arguments and settings', () => {
  test('--help is a result, and needs no settings', async () => {
    const operator = new Operator();
    expect(await call(async () => '', { values: ['fern', '--help'], operator })).toEqual({
      code: 0,
      output: HELP,
      errors: '',
    });
  });

  test('wrong arguments end with 2 and the help, before settings are read', async () => {
    const operator = new Operator();
    expect(await call(async () => '', { values: [], operator })).toEqual({
      code: 2,
      output: '',
      errors: `Which plant?\n\n${HELP}`,
    });
  });

  test('an unknown command ends with 2 and the list of commands', async () => {
    const operator = new Operator();
    expect(await runCommand([toCommand({ kind: 'question', run: async () => '' })], ['feed'], operator)).toBe(2);
    expect(operator.errors).toBe('The commands are:\n  water  Waters the plants\n');
  });

  test('settings that are not valid end with 78, and each is named', async () => {
    const operator = new Operator({ ...env, SECRET_KEY: 'short', GATEWAY_TOKEN: '' });
    const { code, errors } = await call(async () => '', { operator });
    expect(code).toBe(78);
    for (const name of ['SECRET_KEY', 'GATEWAY_TOKEN']) expect(errors).toContain(name);
  });
});

describe('results and errors', () => {
  test('a result goes to the standard output, what is said to the standard error output', async () => {
    const called = await call(async (_, terminal) => {
      terminal.say('Watering ...');
      await terminal.write('one\n');
      return 'two';
    });
    expect(called).toEqual({ code: 0, output: 'one\ntwo\n', errors: 'Watering ...\n' });
  });

  test.each<[string, () => string | false, string]>([
    ['a refusal', () => false, ''],
    [
      'an error',
      () => {
        throw new Error('The fern is dead.');
      },
      'The fern is dead.\n',
    ],
    [
      'an error of the contract',
      () => {
        throw new AppError('NOT_FOUND', { thing: 'Fern' });
      },
      'Fern not found.\n',
    ],
    [
      'details',
      () => {
        throw AppError.validation([{ path: 'query', message: 'is dry' }]);
      },
      'The plant is dry.\n',
    ],
  ])('%s ends with 1', async (_, run, errors) => {
    expect(await call(async () => run())).toEqual({ code: 1, output: '', errors });
  });

  test('the log of a command is no result', async () => {
    const { output, errors } = await call(async ({ log }) => {
      log.warn('dry soil');
      return 'done';
    });
    expect([output, JSON.parse(errors)]).toEqual(['done\n', expect.objectContaining({ msg: 'dry soil' })]);
  });

  test('a database that does not respond is named as the cause', async () => {
    const operator = new Operator({ ...env, DATABASE_URL: 'postgres://localhost:1/cellhop' });
    const { code, errors } = await call(async () => '', { operator });
    expect([code, errors]).toEqual([1, expect.stringContaining('The database cannot be used now: ')]);
  });

  test.each([
    ['EPIPE', 0, ''],
    ['ENOSPC', 1, 'no more\n'],
  ])('an output that fails with %s ends the command with %i', async (code, exitCode, errors) => {
    const operator = new Operator(env, '', Object.assign(new Error('no more'), { code }));
    expect(await call(async () => 'a result', { operator })).toEqual({ code: exitCode, output: '', errors });
    await expect.poll(countConnections).toBe(0);
  });

  test('files are relative to where npm was called', async () => {
    const operator = new Operator({ ...env, INIT_CWD: '/home/operator' });
    const { output } = await call(async (_, terminal) => terminal.path('stock.csv'), { operator });
    expect(output).toBe('/home/operator/stock.csv\n');
  });
});

const plant: Order['run'] = async ({ db }) => {
  await db.query('create table plants (name text)');
  return 'planted';
};

describe('the database', () => {
  test('a question cannot change anything, and a change can', async () => {
    const { code, errors } = await call(plant);
    expect([code, errors]).toEqual([1, expect.stringContaining('in a read-only transaction')]);
    expect(await call(plant, { kind: 'change' })).toMatchObject({ code: 0, output: 'planted\n' });
    await admin.query('drop table plants');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s ends a command with %i, and closes its connections', async (signal, exitCode) => {
    const operator = new Operator(env);
    const run: Order['run'] = async ({ db }) => {
      await db.query('select 1');
      operator.emit(signal);
      return new Promise(() => {});
    };
    expect(await call(run, { operator })).toEqual({ code: exitCode, output: '', errors: '' });
    await expect.poll(countConnections).toBe(0);
    expect(operator.listenerCount(signal)).toBe(0);
  });

  test('a signal also ends a command whose statement does not end', async () => {
    await admin.query('select pg_advisory_lock(7)');
    const operator = new Operator(env);
    const run: Order['run'] = async ({ db }) => {
      const waiting = db.query('select pg_advisory_lock(7)');
      await expect.poll(countConnections).toBe(1);
      operator.emit('SIGINT');
      await waiting;
      return 'too late';
    };
    expect(await call(run, { operator })).toMatchObject({ code: 130, output: '' });
    await admin.query('select pg_advisory_unlock(7)');
    await expect.poll(countConnections).toBe(0);
  });
});

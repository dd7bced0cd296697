// @ts-check
import { randomBytes } from 'node:crypto';
import pg from 'pg';

const TEMPLATE_DATABASE = 'cellhop_template';
/** The name prefix of test databases, by which those of a killed run are found. */
const PREFIX = 't_';

/**
 * @template T
 * @param {string} adminUrl @param {(client: pg.Client) => Promise<T>} work @returns {Promise<T>}
 */
async function withClient(adminUrl, work) {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @param {string} adminUrl @param {string} name */
function toDatabaseUrl(adminUrl, name) {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Creates a database for the caller: a migrated one, or with `template1` an empty one.
 * @param {string} adminUrl
 */
export async function cloneDatabase(adminUrl, template = TEMPLATE_DATABASE) {
  const name = PREFIX + randomBytes(6).toString('hex');
  await withClient(adminUrl, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  );
  return {
    url: toDatabaseUrl(adminUrl, name),
    drop: async () => {
      await withClient(adminUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** Drops the databases that tests have left. @param {string} adminUrl */
export const dropTestDatabases = (adminUrl) => withClient(adminUrl, dropAll);

/** @param {pg.Client} client */
async function dropAll(client) {
  const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [PREFIX]);
  for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`);
}

/**
 * Drops databases of earlier runs and creates the template again.
 * @param {string} adminUrl @param {(databaseUrl: string) => Promise<unknown>} migrate
 */
export async function createTemplate(adminUrl, migrate) {
  await withClient(adminUrl, async (client) => {
    await dropAll(client);
    await client.query(`drop database if exists ${TEMPLATE_DATABASE} with (force)`);
    await client.query(`create database ${TEMPLATE_DATABASE}`);
  });
  await migrate(toDatabaseUrl(adminUrl, TEMPLATE_DATABASE));
}

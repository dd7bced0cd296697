import type { Ctx } from '../../ctx.ts';

export interface DatabaseFigures {
  version: string;
  bytes: bigint;
  connections: number;
  connectionsMax: number;
}

export async function readDatabaseFigures(ctx: Ctx): Promise<DatabaseFigures> {
  const [row] = await ctx.db.query<DatabaseFigures>(
    `select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
            (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
            current_setting('max_connections')::int as "connectionsMax"`,
  );
  return row!;
}

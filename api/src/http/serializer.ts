import fastJson from 'fast-json-stringify';
import { z } from 'zod';

/** Serializes declared fields only, so an extra column of a row never leaves the server. */
export function compileSerializer({ schema }: { schema: z.ZodType }): (value: unknown) => string {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'output', target: 'draft-7' });
  return fastJson(jsonSchema as Parameters<typeof fastJson>[0]);
}

import fastJson from 'fast-json-stringify';
import { z } from 'zod';

type Serializer = (value: unknown) => string;

/** Each schema is compiled once: routes share some, and tests build an app each. */
const serializers = new WeakMap<z.ZodType, Serializer>();

/** Serializes declared fields only, so an extra column of a row never leaves the server. */
export function compileSerializer({ schema }: { schema: z.ZodType }): Serializer {
  const known = serializers.get(schema);
  if (known) return known;
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'output', target: 'draft-7' });
  const serializer = fastJson(jsonSchema as Parameters<typeof fastJson>[0]);
  serializers.set(schema, serializer);
  return serializer;
}

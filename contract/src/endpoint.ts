import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Permission } from './permissions.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call an endpoint: everyone, any signed-in user, staff (a signed-in user whose role has at least one permission), a
 * signed-in user whose role has a certain permission, a gateway node with its token, or everyone in development only (the route does
 * not exist in production).
 */
export type Access = 'public' | 'user' | 'staff' | 'gateway' | 'development' | { readonly permission: Permission };

type PathKeys<Url extends string> = Url extends `${string}{${infer Key}}${infer Rest}` ? Key | PathKeys<Rest> : never;

export interface EndpointDefinition<Url extends string = string> {
  readonly method: Method;
  /** Path with `{name}` placeholders; `params` declares exactly those names. */
  readonly url: Url;
  readonly access: Access;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The whole success body, `{ data }` or `{ data, totalPages }`. */
  readonly response: z.ZodType;
  readonly status?: 200 | 201 | 202;
  /** The response is a file of the user's data: refused to staff who see the app as the user. */
  readonly isExport?: true;
  /** Codes of the error catalogue that are particular to this endpoint; they appear in OpenAPI. */
  readonly errors?: readonly ErrorCode[];
}

type CheckParams<E extends EndpointDefinition> = [PathKeys<E['url']>] extends [never]
  ? E extends { params: unknown }
    ? { params: never }
    : unknown
  : E extends { params: z.ZodObject<infer Shape> }
    ? [PathKeys<E['url']>] extends [keyof Shape]
      ? [keyof Shape] extends [PathKeys<E['url']>]
        ? unknown
        : { params: never }
      : { params: never }
    : { params: never };

/** Declares an endpoint once for API, web app, tests and OpenAPI. A `params` that does not match `url` does not compile. */
export function endpoint<const E extends EndpointDefinition>(definition: E & CheckParams<E>): E {
  return definition;
}

type Side = 'input' | 'output';
type Value<T extends z.ZodType, S extends Side> = S extends 'input' ? z.input<T> : z.output<T>;
type Part<E extends EndpointDefinition, Key extends 'params' | 'query' | 'body', S extends Side> = E extends {
  readonly [K in Key]: infer T extends z.ZodType;
}
  ? { [K in Key]: Value<T, S> }
  : unknown;

/** What a caller passes: before defaults and coercion. */
export type ClientInput<E extends EndpointDefinition> = Part<E, 'params', 'input'> &
  Part<E, 'query', 'input'> &
  Part<E, 'body', 'input'>;
/** What a handler gets: after defaults and coercion. */
export type ServerInput<E extends EndpointDefinition> = Part<E, 'params', 'output'> &
  Part<E, 'query', 'output'> &
  Part<E, 'body', 'output'>;
/** What the server returns and the caller reads. */
export type Output<E extends EndpointDefinition> = z.output<E['response']>;

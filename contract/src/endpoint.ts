import type * as z from 'zod/mini';

/**
 * Who may call an endpoint: anyone, signed-in users, administrators (role 10), the super administrator (role 100).
 * `visitor` is public too, but a session, if there is one, decides the reply.
 */
export type Audience = 'public' | 'visitor' | 'user' | 'admin' | 'root';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Access rule, documentation and schemas of an endpoint, next to its record types. An absent schema means "nothing". */
export interface EndpointSchemas {
  audience: Audience;
  /** One line for the API reference. */
  summary: string;
  params?: z.ZodMiniType;
  query?: z.ZodMiniType;
  body?: z.ZodMiniType;
  /** `data` of the envelope on success. */
  reply?: z.ZodMiniType;
  /** `true` when a GET changes something; it is then guarded like a write. Kept for the paths of older clients. */
  changes?: boolean;
  /** The media type of a download, which is sent instead of an envelope; there is no `reply`. */
  file?: string;
}

export type SchemasByEndpoint = Readonly<Record<string, EndpointSchemas>>;

/**
 * One operation of the management API as clients call it. Its schemas are a type parameter only, so the console
 * bundles a method and a path; the server gets the schemas from `registry.ts`.
 */
export interface Endpoint<S extends EndpointSchemas = EndpointSchemas> {
  readonly method: Method;
  /** As Fastify spells it: `/api/token/:id`. */
  readonly path: string;
  /** Never set. It carries `S` to the type helpers below. */
  readonly schemas?: S;
}

/**
 * Declares the endpoints of `S` by their addresses, such as `GET /api/token/:id`. Every key of `S` needs an address, and
 * no other key compiles.
 *
 * @__NO_SIDE_EFFECTS__
 */
export function endpoints<S extends SchemasByEndpoint>(addresses: {
  readonly [K in keyof S]: `${Method} /${string}`;
}): { readonly [K in keyof S]: Endpoint<S[K]> } {
  const declared = Object.entries<string>(addresses).map(([name, address]): [string, Endpoint] => {
    const [method, path = ''] = address.split(' ');
    return [name, { method: method as Method, path }]; // the parameter's type says so
  });
  return Object.fromEntries(declared) as { readonly [K in keyof S]: Endpoint<S[K]> };
}

type SchemasOf<E extends Endpoint> = NonNullable<E['schemas']>;
type Part<E extends Endpoint, K extends 'params' | 'query' | 'body' | 'reply'> =
  SchemasOf<E> extends { readonly [P in K]?: infer Z } ? (unknown extends Z ? undefined : Z) : undefined;
type Input<Z> = Z extends z.ZodMiniType ? z.input<Z> : undefined;
type Output<Z> = Z extends z.ZodMiniType ? z.output<Z> : undefined;

export type AudienceOf<E extends Endpoint> = SchemasOf<E>['audience'];

/** Input of a caller, before defaults and coercion. */
export interface InputOf<E extends Endpoint> {
  params: Input<Part<E, 'params'>>;
  query: Input<Part<E, 'query'>>;
  body: Input<Part<E, 'body'>>;
}

/** Parsed input of a handler. */
export interface ParsedOf<E extends Endpoint> {
  params: Output<Part<E, 'params'>>;
  query: Output<Part<E, 'query'>>;
  body: Output<Part<E, 'body'>>;
}

/** Result of a handler; the caller receives it as `data`. */
export type ReplyOf<E extends Endpoint> = Output<Part<E, 'reply'>>;

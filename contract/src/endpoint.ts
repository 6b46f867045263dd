import * as z from 'zod/mini';

/**
 * Who may call an endpoint: anybody; a signed-in user; an administrator (role 10); the super administrator (role 100).
 * `visitor` is public too, but a session, where there is one, decides what is shown.
 */
export type Audience = 'public' | 'visitor' | 'user' | 'admin' | 'root';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One operation of the management API: declared here, mounted and documented by the server, called by the console. */
export interface Endpoint<
  Params extends z.ZodMiniType = z.ZodMiniType,
  Query extends z.ZodMiniType = z.ZodMiniType,
  Body extends z.ZodMiniType = z.ZodMiniType,
  Reply extends z.ZodMiniType = z.ZodMiniType,
> {
  method: Method;
  /** As Fastify spells it: `/api/token/:id`. */
  path: string;
  audience: Audience;
  /** One line for the API reference. */
  summary: string;
  params: Params;
  query: Query;
  body: Body;
  /** What `data` of the envelope holds on success. */
  reply: Reply;
  /** `true` when a GET changes something; it is then guarded like a write. Kept for the paths of older clients. */
  changes: boolean;
  /** The media type of a download: the answer is then a file instead of an envelope, and there is no `reply`. */
  file: string | undefined;
}

const nothing = z.undefined();
type Nothing = typeof nothing;

interface Declared<P, Q, B, R> {
  method: Method;
  path: string;
  audience: Audience;
  summary: string;
  params?: P;
  query?: Q;
  body?: B;
  reply?: R;
  changes?: boolean;
  file?: string;
}

/** Declares an endpoint; what is left out is "nothing". */
export function endpoint<
  P extends z.ZodMiniType = Nothing,
  Q extends z.ZodMiniType = Nothing,
  B extends z.ZodMiniType = Nothing,
  R extends z.ZodMiniType = Nothing,
>(declared: Declared<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return {
    method: declared.method,
    path: declared.path,
    audience: declared.audience,
    summary: declared.summary,
    params: (declared.params ?? nothing) as P,
    query: (declared.query ?? nothing) as Q,
    body: (declared.body ?? nothing) as B,
    reply: (declared.reply ?? nothing) as R,
    changes: declared.changes ?? declared.method !== 'GET',
    file: declared.file,
  };
}

/** What a caller passes, before defaults and coercion. */
export interface InputOf<E extends Endpoint> {
  params: z.input<E['params']>;
  query: z.input<E['query']>;
  body: z.input<E['body']>;
}

/** What a handler receives, parsed. */
export interface ParsedOf<E extends Endpoint> {
  params: z.output<E['params']>;
  query: z.output<E['query']>;
  body: z.output<E['body']>;
}

export type ReplyOf<E extends Endpoint> = z.output<E['reply']>;

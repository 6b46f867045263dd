import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf, textFilter } from '../list.ts';
import { baseAddress, id, idParam, seconds, text } from '../values.ts';
import { guardActions, guardFailures, guardKinds, guardLimits } from './codes.ts';
import { guardPattern } from './pattern.ts';

/** Kinds and patterns that a rule searches for. */
const searched = {
  kinds: z._default(z.array(z.enum(guardKinds)).check(z.maxLength(guardKinds.length)), []),
  patterns: z._default(z.array(guardPattern).check(z.maxLength(guardLimits.patterns)), []),
};

/** A service of the operator that decides about texts; see docs/guardrails.md. */
const hook = z.strictObject({
  url: baseAddress.check(z.minLength(1)),
  timeout_ms: z._default(z.int().check(z.gte(100), z.lte(10_000)), 2000),
  /** Outcome for the call if the service gives no valid answer in time. */
  on_failure: z._default(z.enum(guardFailures), 'pass'),
});
export type GuardHook = z.output<typeof hook>;

const fields = {
  /** Callers read it in the refusal. */
  name: text(60, 1),
  enabled: z._default(z.boolean(), true),
  action: z.enum(guardActions),
  /** Whether it reads requests, and answers. */
  requests: z._default(z.boolean(), true),
  answers: z._default(z.boolean(), false),
  /** Symbols of user groups; empty: all. */
  groups: z._default(z.array(text(100, 1)).check(z.maxLength(guardLimits.groups)), []),
  /** Ids of API keys; empty: all. */
  token_ids: z._default(z.array(id).check(z.maxLength(guardLimits.tokens)), []),
  ...searched,
  /** Null: none. */
  hook: z._default(z.nullable(hook), null),
};

const readsSomething = z.refine<{ requests: boolean; answers: boolean }>(
  ({ requests, answers }) => requests || answers,
  {
    error: 'guard.reads_nothing',
    path: ['requests'],
  },
);
const findsSomething = z.refine<{ kinds: readonly unknown[]; patterns: readonly unknown[]; hook?: unknown }>(
  ({ kinds, patterns, hook: service }) => kinds.length > 0 || patterns.length > 0 || Boolean(service),
  { error: 'guard.finds_nothing', path: ['kinds'] },
);

export const newGuardRule = z.strictObject(fields).check(readsSomething, findsSomething);
export type NewGuardRule = z.output<typeof newGuardRule>;

export const guardRuleEdit = z.strictObject({ ...fields, id }).check(readsSomething, findsSomething);

export const guardRule = z.object({
  ...fields,
  id,
  updated_time: seconds,
  updated_by: z.string(),
});
export type GuardRule = z.output<typeof guardRule>;

/** Finding of a rule in a call, as its log row keeps it. */
export const guardMark = z.object({
  /** Name of the rule at that time. */
  rule: z.string(),
  /** `unchecked`: its service gave no answer. */
  action: z.enum([...guardActions, 'unchecked']),
  at: z.enum(['request', 'answer']),
  /** Matches that were masked, and texts that its service changed; 1 for the others. */
  count: z.int(),
});
export type GuardMark = z.output<typeof guardMark>;

const withId = z.object({ id: idParam });

export const guardSchemas = {
  list: {
    audience: 'admin',
    summary: 'List guardrails: rules that mask or refuse what requests and answers hold',
    query: z.extend(listQuery(['id', 'name', 'updated_time']), {
      /** Part of a name. */
      keyword: textFilter,
    }),
    reply: pageOf(guardRule),
  },
  get: { audience: 'admin', summary: 'Get a guardrail', params: withId, reply: guardRule },
  create: {
    audience: 'admin',
    summary: 'Create a guardrail, in force from the next call on every node',
    body: newGuardRule,
    reply: guardRule,
  },
  update: { audience: 'admin', summary: 'Change a guardrail', body: guardRuleEdit, reply: guardRule },
  remove: { audience: 'admin', summary: 'Delete a guardrail', params: withId },
  test: {
    audience: 'admin',
    summary: 'Try what a guardrail would find in a text; nothing is saved',
    body: z
      .strictObject({ ...searched, text: z.string().check(z.minLength(1), z.maxLength(guardLimits.testText)) })
      .check(findsSomething),
    reply: z.object({
      /** The text with every match masked. */
      masked: z.string(),
      /** Number of matches. */
      count: z.int(),
    }),
  },
} as const satisfies SchemasByEndpoint;

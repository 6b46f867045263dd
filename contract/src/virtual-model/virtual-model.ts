import * as z from 'zod/mini';
import { ruleEndpoints } from '../channel/request-rule.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf, textFilter } from '../list.ts';
import { isTimeZone } from '../time-zone.ts';
import { id, idParam, listedModel, seconds, text } from '../values.ts';
import { presences, stepFailures, stickyKinds, virtualLimits } from './codes.ts';

const realModel = listedModel.check(z.refine((name) => !name.includes('*'), { error: 'model.wildcard' }));
const tokens = z.int().check(z.gte(0), z.lte(100_000_000));
const clock = z.string().check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: 'way.clock' }));
const dollars = z.number().check(z.gte(0), z.lte(1_000_000));

const conditions = z
  .strictObject({
    /** Symbols of user groups; empty: all. */
    groups: z._default(z.array(text(100, 1)).check(z.maxLength(virtualLimits.groups)), []),
    /** Empty: all. */
    endpoints: z._default(z.array(z.enum(ruleEndpoints)).check(z.maxLength(ruleEndpoints.length)), []),
    tools: z._default(z.enum(presences), 'any'),
    images: z._default(z.enum(presences), 'any'),
    /** Estimated tokens of the prompt, both included. `prompt_to` 0: no upper bound. */
    prompt_from: z._default(tokens, 0),
    prompt_to: z._default(tokens, 0),
    /** A header of the request that has exactly this value. */
    header: z._default(
      z.nullable(
        z.strictObject({
          name: z.string().check(
            z.overwrite((name) => name.trim().toLowerCase()),
            z.regex(/^(?!(?:authorization|cookie|x-api-key|api-key|x-goog-api-key)$)[a-z0-9-]{1,100}$/),
          ),
          value: text(200, 1),
        }),
      ),
      null,
    ),
    /** A time of day, from `from` until before `to`; past midnight where `to` is earlier. */
    time: z._default(
      z.nullable(
        z.strictObject({
          from: clock,
          to: clock,
          /** Days on which it begins, 1 for Monday; empty: all. */
          days: z._default(z.array(z.int().check(z.gte(1), z.lte(7))).check(z.maxLength(7)), []),
          zone: z.string().check(z.maxLength(60), z.refine(isTimeZone, { error: 'time.zone' })),
        }),
      ),
      null,
    ),
  })
  .check(
    z.refine(({ prompt_from: from, prompt_to: to }) => to === 0 || from <= to, {
      error: 'price.rule_range',
      path: ['prompt_to'],
    }),
  );
export type StepConditions = z.output<typeof conditions>;

const step = z.strictObject({
  /** Real models; a call draws one by weight. */
  models: z
    .array(z.strictObject({ model: realModel, weight: z._default(z.int().check(z.gte(1), z.lte(10_000)), 1) }))
    .check(
      z.minLength(1),
      z.maxLength(virtualLimits.choices),
      z.refine((list) => new Set(list.map(({ model }) => model)).size === list.length, { error: 'model.repeated' }),
    ),
  sticky: z._default(z.enum(stickyKinds), 'none'),
  when: z.prefault(conditions, {}),
  /** The step is skipped for models above these prices, in dollars per million tokens with the ratio of the group. */
  max_price: z._default(z.nullable(z.strictObject({ input: dollars, output: dollars })), null),
  /** Failures after which the next step is tried. */
  next_on: z._default(z.array(z.enum(stepFailures)).check(z.maxLength(stepFailures.length)), [...stepFailures]),
});
export type VirtualStep = z.output<typeof step>;

/** Copies of calls that go to another model at the operator's expense; their replies are discarded. */
const shadow = z.strictObject({
  model: realModel,
  /** Part of the calls that is copied. */
  percent: z.number().check(z.gt(0), z.lte(100)),
  /** Copies at the same time on one process; more are not sent. */
  at_once: z._default(z.int().check(z.gte(1), z.lte(virtualLimits.atOnce)), 4),
});

export const newVirtualModel = z.strictObject({
  name: realModel,
  enabled: z._default(z.boolean(), true),
  description: z._default(text(200), ''),
  /** The first step whose conditions hold is tried first. */
  steps: z.array(step).check(z.minLength(1), z.maxLength(virtualLimits.steps)),
  shadow: z._default(z.nullable(shadow), null),
});
export type NewVirtualModel = z.output<typeof newVirtualModel>;

export const virtualModelEdit = z.extend(newVirtualModel, { id });

export const virtualModel = z.object({
  ...newVirtualModel.shape,
  id,
  /** Grows with each save. */
  version: z.int(),
  updated_time: seconds,
  updated_by: z.string(),
});
export type VirtualModel = z.output<typeof virtualModel>;

const withId = z.object({ id: idParam });

export const virtualModelSchemas = {
  list: {
    audience: 'admin',
    summary: 'List virtual models: names that stand for a chain of models',
    query: z.extend(listQuery(['id', 'name', 'updated_time']), {
      /** Part of a name or description. */
      keyword: textFilter,
    }),
    reply: pageOf(virtualModel),
  },
  get: { audience: 'admin', summary: 'Get a virtual model', params: withId, reply: virtualModel },
  versions: {
    audience: 'admin',
    summary: 'List the saved versions of a virtual model, newest first',
    params: withId,
    reply: z.array(virtualModel),
  },
  create: {
    audience: 'admin',
    summary: 'Create a virtual model, which callers can use at once on every node',
    body: newVirtualModel,
    reply: virtualModel,
  },
  update: {
    audience: 'admin',
    summary: 'Save a new version of a virtual model',
    body: virtualModelEdit,
    reply: virtualModel,
  },
  remove: { audience: 'admin', summary: 'Delete a virtual model and its versions', params: withId },
} as const satisfies SchemasByEndpoint;

import * as z from 'zod/mini';
import { metadataLabels, routingFields } from './routing-fields.ts';
import { modelPattern, ownHeaders } from '../values.ts';

/** `default` sets a field that the request does not have. */
export const ruleActions = ['set', 'default', 'rename', 'delete'] as const;
export const ruleTargets = ['body', 'header'] as const;

/** The API that the client calls. */
export const ruleEndpoints = [
  'chat',
  'responses',
  'messages',
  'gemini',
  'completions',
  'embeddings',
  'moderations',
  'rerank',
  'images',
  'speech',
  'transcriptions',
] as const;
export type RuleEndpoint = (typeof ruleEndpoints)[number];

/** `is_not` also holds for a missing field. */
export const ruleTests = ['present', 'absent', 'is', 'is_not'] as const;

/** Upper bounds of a channel's rules. */
export const ruleLimits = { rules: 50, models: 100, conditions: 8, path: 200, levels: 10, value: 8000, all: 60_000 };

/** Levels and members of a value. */
const MOST_LEVELS = 16;
const MOST_MEMBERS = 2000;

/** The names in a path: `generationConfig.topK`; a backslash before a dot makes it part of a name. */
export const rulePath = (field: string): string[] =>
  field.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));

/** The path with one name, which may contain dots. */
export const pathName = (name: string): string => name.replaceAll('.', '\\.');

const prototypes = new Set(['__proto__', 'prototype', 'constructor']);

/** Set by the relay, which routes, converts, charges and stores a call by them. */
const reservedFields = new Set([
  'model',
  'stream',
  'stream_options',
  'background',
  'conversation',
  'previous_response_id',
  ...routingFields,
]);
const routing = new Set(routingFields);

/** Credentials are set as keys and headers of the channel, which are stored encrypted. */
const credentials = /auth|cookie|credential|password|secret|signature|token|(?:^|-)(?:api-?)?key(?:$|-)/i;
/** Further headers that the relay, the connection or a signature decides. */
const reservedHeaders =
  /^(?:accept|content-.*|proxy-.*|sec-.*|x-amz-.*|x-forwarded-.*|x-real-ip|forwarded|via|http2-settings)$/i;

/** Why a rule must not change a field of the body; undefined: it may. */
function bodyProblem(field: string): 'rule.path' | 'rule.reserved' | undefined {
  const names = rulePath(field);
  const isPath = names.length <= ruleLimits.levels && names.every((name) => name !== '' && !prototypes.has(name));
  if (!isPath) return 'rule.path';
  const [first = '', second = ''] = names;
  // Some servers read names regardless of case.
  if (reservedFields.has(first.toLowerCase())) return 'rule.reserved';
  return first === 'metadata' && routing.has(second) && !metadataLabels.has(second) ? 'rule.reserved' : undefined;
}

/** The same for a header. */
function headerProblem(name: string): 'rule.header' | 'rule.credential' | 'rule.reserved' | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return 'rule.header';
  if (ownHeaders.has(name.toLowerCase()) || reservedHeaders.test(name)) return 'rule.reserved';
  return credentials.test(name) ? 'rule.credential' : undefined;
}

/** Whether a value is small and flat enough to be sent, and has no name of a prototype. */
function isSendable(value: unknown): boolean {
  let members = 0;
  const walk = (one: unknown, levels: number): boolean => {
    if (++members > MOST_MEMBERS || levels > MOST_LEVELS) return false;
    if (typeof one === 'number') return Number.isFinite(one);
    if (typeof one !== 'object' || one === null) return one !== undefined;
    return Object.entries(one).every(([name, member]) => !prototypes.has(name) && walk(member, levels + 1));
  };
  return walk(value, 0) && JSON.stringify(value).length <= ruleLimits.value;
}

function isValueFor({ target, field, value }: RuleShape): boolean {
  if (target === 'header') return typeof value === 'string' && value.length <= 2000 && /^[\t\x20-\x7e]*$/.test(value);
  if (!isSendable(value)) return false;
  const [first, ...more] = rulePath(field);
  const isMetadata = first === 'metadata' && more.length === 0 && typeof value === 'object' && value !== null;
  return !isMetadata || Object.keys(value).every((name) => !routing.has(name) || metadataLabels.has(name));
}

const path = z.string().check(z.trim(), z.minLength(1), z.maxLength(ruleLimits.path));
const list = <T extends z.ZodMiniType>(entry: T, most: number) =>
  z._default(z.array(entry).check(z.maxLength(most)), []);

const condition = z
  .strictObject({
    /** A path in the body. */
    field: path,
    test: z.enum(ruleTests),
    /** Of `is` and `is_not`. */
    value: z.optional(z.unknown()),
  })
  .check(
    z.check(({ value: { field, test, value }, issues }) => {
      const names = rulePath(field);
      if (names.length > ruleLimits.levels || names.some((name) => name === '' || prototypes.has(name)))
        issues.push({ code: 'custom', message: 'rule.path', path: ['field'], input: field });
      if ((test === 'is' || test === 'is_not') && !isSendable(value))
        issues.push({ code: 'custom', message: 'rule.value', path: ['value'], input: value });
    }),
  );

const shape = {
  action: z.enum(ruleActions),
  target: z._default(z.enum(ruleTargets), 'body'),
  /** A path in the body, or the name of a header. */
  field: path,
  /** The new place of a renamed field. */
  to: z.optional(path),
  /** Of `set` and `default`; any JSON for the body, a text for a header. */
  value: z.optional(z.unknown()),
  /** Requested or sent models that the rule applies to, as `gpt-4*`; empty: all. */
  models: list(modelPattern, ruleLimits.models),
  endpoints: list(z.enum(ruleEndpoints), ruleEndpoints.length),
  /** All of them must hold, for the body as the rules before left it. */
  when: list(condition, ruleLimits.conditions),
  /**
   * Rules of chats change the request last, in the provider's format. With this, they change it in the client's format,
   * before it is converted.
   */
  before_conversion: z._default(z.boolean(), false),
};

type RuleShape = { [K in keyof typeof shape]: z.output<(typeof shape)[K]> };

/** A change to the requests of a channel. */
export const requestRule = z.strictObject(shape).check(
  z.check(({ value: rule, issues }) => {
    const { action, target, field, to } = rule as RuleShape; // the shape above
    const issue = (at: 'field' | 'to' | 'value', message: string) =>
      issues.push({ code: 'custom', message, path: [at], input: rule });
    const problemOf = target === 'header' ? headerProblem : bodyProblem;
    const problem = problemOf(field);
    if (problem) issue('field', problem);
    if (action === 'rename') {
      const atEnd = to === undefined || to === field ? 'rule.to' : problemOf(to);
      if (atEnd) issue('to', atEnd);
    }
    if ((action === 'set' || action === 'default') && !isValueFor(rule as RuleShape)) issue('value', 'rule.value');
  }),
);
export type RequestRule = z.output<typeof requestRule>;

/** The rules of a channel, in order. */
export const requestRules = z.array(requestRule).check(
  z.maxLength(ruleLimits.rules),
  z.refine((rules) => JSON.stringify(rules).length <= ruleLimits.all, { error: 'plugin.size' }),
);

/** Rules as stored, which an earlier version may have checked less strictly. */
export const storedRules = z.array(z.object({ ...shape, models: z.array(z.string()) }));

import { pathName, type RequestRule, requestRule, rulePath } from './request-rule.ts';
import { modelPattern } from '../values.ts';

/** Rules in the words of other programs of the family. */
export interface FamilyRules {
  rules: RequestRule[];
  /** Parts without a counterpart here, as `path` or `mode path`. */
  lost: string[];
}

type Json = Record<string, unknown>;
type RuleInput = Partial<RequestRule> & Pick<RequestRule, 'action' | 'field'>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

const checked = (inputs: readonly (RuleInput & { told?: string })[]): FamilyRules => {
  const found: FamilyRules = { rules: [], lost: [] };
  for (const { told, ...input } of inputs) {
    const rule = requestRule.safeParse(input);
    if (rule.success) found.rules.push(rule.data);
    else found.lost.push(told ?? input.field);
  }
  return found;
};

/**
 * Rules of one-hub's `custom_parameter`: an object that is merged into the body. Fills missing fields, with `overwrite`
 * all; with `per_model` the first level names models; with `pre_add` before the conversion. Undefined: no JSON object.
 */
export function rulesOfCustomParameter(text: string): FamilyRules | undefined {
  const json = parsed(text);
  if (!json) return undefined;
  const { overwrite, per_model: perModel, pre_add: early, ...fields } = json;
  const action = overwrite === true ? 'set' : 'default';
  const common = early === true ? { before_conversion: true } : {};
  const rulesFor = (part: Json, more: Partial<RequestRule>) =>
    leavesOf(part).map(([field, value]) => ({ action, field, value, ...common, ...more }) satisfies RuleInput);
  if (perModel !== true) return checked(rulesFor(fields, {}));
  const inputs = Object.entries(fields).flatMap(([model, part]): (RuleInput & { told?: string })[] =>
    isObject(part) && modelPattern.safeParse(model).success
      ? rulesFor(part, { models: [model] })
      : [{ action, field: model, told: model, value: undefined }],
  );
  return checked(inputs);
}

/** Values that are not merged any further, with their paths. */
function leavesOf(part: Json, above = '', levels = 0): [field: string, value: unknown][] {
  return Object.entries(part).flatMap(([name, value]): [string, unknown][] => {
    const field = above + pathName(name);
    return isObject(value) && Object.keys(value).length > 0 && levels < 20
      ? leavesOf(value, `${field}.`, levels + 1)
      : [[field, value]];
  });
}

/** The rules as one-hub's `custom_parameter`; empty: it cannot express them. */
export function customParameterOf(rules: readonly RequestRule[]): string {
  const [first] = rules;
  if (!first) return '';
  const isPerModel = first.models.length > 0;
  const json: Json = {
    ...(first.action === 'set' && { overwrite: true }),
    ...(isPerModel && { per_model: true }),
    ...(first.before_conversion && { pre_add: true }),
  };
  for (const { field, value, models } of rules)
    for (const model of isPerModel ? models : [undefined])
      if (!put(json, [...(model === undefined ? [] : [model]), ...rulePath(field)], value)) return '';
  const text = JSON.stringify(json);
  // Only what reads back as the same rules is equal to them.
  return JSON.stringify(rulesOfCustomParameter(text)?.rules) === JSON.stringify(rules) ? text : '';
}

/** Adds a value; false: something else is there. */
function put(json: Json, [name = '', ...more]: readonly string[], value: unknown): boolean {
  const there = Object.hasOwn(json, name) ? json[name] : undefined;
  if (more.length === 0) {
    if (there !== undefined) return false;
    Object.defineProperty(json, name, { value, enumerable: true, writable: true, configurable: true });
    return true;
  }
  if (there !== undefined && !isObject(there)) return false;
  const inner = there ?? {};
  if (there === undefined) Object.defineProperty(json, name, { value: inner, enumerable: true });
  return put(inner, more, value);
}

/**
 * Rules of new-api's `param_override`: an object whose members replace those of the body, or a list of operations with
 * conditions. Undefined: no JSON object.
 */
export function rulesOfParamOverride(text: string): FamilyRules | undefined {
  const json = parsed(text);
  if (!json) return undefined;
  const { operations } = json;
  if (!Array.isArray(operations))
    return checked(Object.entries(json).map(([name, value]) => ({ action: 'set', field: pathName(name), value })));
  const found: FamilyRules = { rules: [], lost: [] };
  for (const operation of operations) {
    const { rules, lost } = rulesOfOperation(isObject(operation) ? operation : {});
    found.rules.push(...rules);
    found.lost.push(...lost);
  }
  return found;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function rulesOfOperation(operation: Json): FamilyRules {
  const { mode, keep_origin: keeps, value } = operation;
  const [path, from, to] = [text(operation['path']), text(operation['from']), text(operation['to'])];
  const told = `${text(mode)} ${path || from}`.trim();
  const target = text(mode).endsWith('_header') ? { target: 'header' as const } : {};
  const lost: FamilyRules = { rules: [], lost: [told === '' ? 'operation' : told] };
  const scopes = scopesOf(operation);
  if (!scopes) return lost;
  const action = keeps === true ? 'default' : 'set';
  const input: Record<string, RuleInput> = {
    set: { action, field: path, value },
    set_header: { action, field: path, value, ...target },
    delete: { action: 'delete', field: path },
    delete_header: { action: 'delete', field: path, ...target },
    move: { action: 'rename', field: from, to },
    move_header: { action: 'rename', field: from, to, ...target },
  };
  const rule = Object.hasOwn(input, text(mode)) ? input[text(mode)] : undefined;
  return rule ? checked(scopes.map((scope) => ({ ...rule, ...scope, told }))) : lost;
}

type Scope = Partial<Pick<RequestRule, 'models' | 'when'>>;

/** Alternative conditions of an operation; undefined: there is no counterpart. */
function scopesOf({ conditions, logic }: Json): Scope[] | undefined {
  if (conditions === undefined || conditions === null) return [{}];
  if (!Array.isArray(conditions)) return undefined;
  const scopes = conditions.map((each) => (isObject(each) ? scopeOf(each) : undefined));
  const known = scopes.filter((each) => each !== undefined);
  if (known.length < scopes.length) return undefined;
  if (known.length === 0) return [{}];
  if (text(logic).toUpperCase() !== 'AND') return known;
  const named = known.filter(({ models }) => models);
  // Several models at once are no model.
  if (named.length > 1) return undefined;
  return [{ ...named[0], when: known.flatMap(({ when = [] }) => when) }];
}

const modelNames = new Set(['model', 'original_model', 'upstream_model']);

/** One condition; undefined: there is no counterpart. */
function scopeOf(condition: Json): Scope | undefined {
  const { value, invert } = condition;
  const [field, mode] = [text(condition['path']), text(condition['mode']) || 'full'];
  const isInverted = invert === true;
  const passesMissing = condition['pass_missing_key'] === true;
  if (modelNames.has(field)) {
    if (isInverted || typeof value !== 'string' || (mode !== 'full' && mode !== 'prefix')) return undefined;
    return { models: [mode === 'prefix' ? `${value}*` : value] };
  }
  if (mode !== 'full' || (passesMissing && !isInverted)) return undefined;
  if (!isInverted) return { when: [{ field, test: 'is', value }] };
  const differs = { field, test: 'is_not', value } as const;
  return { when: passesMissing ? [differs] : [{ field, test: 'present' }, differs] };
}

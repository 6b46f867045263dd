import {
  requestRules,
  type RequestRule,
  rulesOfCustomParameter,
  rulesOfParamOverride,
  type FamilyRules,
} from '@relay-hub/contract';

export const emptyRule: RequestRule = {
  action: 'set',
  target: 'body',
  field: '',
  value: '',
  models: [],
  endpoints: [],
  when: [],
  before_conversion: false,
};

/** A typed value: JSON where it is JSON, such as `0.5`, `false` or `"5"`; anything else is a text. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The shortest text that `valueOf` reads as this value. */
export function valueText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' && valueOf(value) === value ? value : JSON.stringify(value);
}

/** A rule with a change, without members that its action does not have. */
export function changedRule(rule: RequestRule, change: Partial<RequestRule>): RequestRule {
  const { value = '', to = '', ...rest } = { ...rule, ...change };
  if (rest.action === 'delete') return rest;
  if (rest.action === 'rename') return { ...rest, to };
  return { ...rest, value: rest.target === 'header' ? (typeof value === 'string' ? value : valueText(value)) : value };
}

/** The order with one entry moved by a step. */
export const movedBy = <T>(list: readonly T[], at: number, step: -1 | 1): T[] => {
  const [one, other] = [list[at], list[at + step]];
  return one === undefined || other === undefined ? [...list] : list.with(at, other).with(at + step, one);
};

export const pasteFormats = ['rules', 'custom_parameter', 'param_override'] as const;
export type PasteFormat = (typeof pasteFormats)[number];

/** The format that a pasted text has; undefined: it does not show. */
export function formatOf(text: string): PasteFormat | undefined {
  const json = valueOf(text);
  if (Array.isArray(json)) return 'rules';
  if (typeof json !== 'object' || json === null) return undefined;
  if ('operations' in json) return 'param_override';
  return 'overwrite' in json || 'per_model' in json || 'pre_add' in json ? 'custom_parameter' : undefined;
}

/** The rules in a pasted text; a text says where it is not valid. */
export function pastedRules(text: string, format: PasteFormat): FamilyRules | string {
  if (format === 'rules') {
    const parsed = requestRules.safeParse(valueOf(text));
    if (parsed.success) return { rules: parsed.data, lost: [] };
    return parsed.error.issues[0]?.path.join('.') ?? '';
  }
  return (format === 'custom_parameter' ? rulesOfCustomParameter(text) : rulesOfParamOverride(text)) ?? '';
}

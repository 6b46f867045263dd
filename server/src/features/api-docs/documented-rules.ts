import { entryKinds } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import { type RuleCode, ruleTextOf } from '#i18n/language.ts';

type Keywords = Record<string, unknown>;

const kinds = entryKinds.join('|');
const httpAddress = { pattern: '^\\s*([hH][tT][tT][pP][sS]?://\\S+)?\\s*$' };
const jsonObject = { contentMediaType: 'application/json', pattern: '^\\s*(\\{[\\s\\S]*\\})?\\s*$' };

/** Keywords of JSON Schema for rules that are functions in the contract. The rule's text has the rest. */
const keywords: Partial<Record<RuleCode, Keywords>> = {
  'json.text_map': jsonObject,
  'header.map': jsonObject,
  'date.form': { pattern: '^([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]))?$' },
  'address.http': httpAddress,
  'proxy.address': { pattern: '^\\s*(([hH][tT][tT][pP][sS]?|[sS][oO][cC][kK][sS]5)://\\S+)?\\s*$' },
  'model.wildcard': { pattern: '^[^*,]*\\*?(,[^*,]*\\*?)*$' },
  'model.no_wildcard': { pattern: '^[^*]*$' },
  'user.email': { pattern: '^\\s*([^\\s@]+@[^\\s@]+\\.[^\\s@]+)?\\s*$' },
  'user.password': { pattern: '^([\\s\\S]{8,})?$' },
  'quota.zero': { not: { const: 0 } },
  'user.which': { anyOf: [{ required: ['id'] }, { required: ['username'] }] },
  'proof.one': { oneOf: [{ required: ['password'] }, { required: ['code'] }] },
  'ledger.kind': { pattern: `^(${kinds})?(,(${kinds})?)*$` },
  'redemption.invalid': { pattern: '^[234](,[234])*$' },
};

/** Adds the rules of a schema that JSON Schema does not get from it by itself: keywords, and the text of refusals. */
export function documentRules(schema: z.core.$ZodType, json: Keywords): void {
  const texts: string[] = [];
  for (const check of schema._zod.def.checks ?? []) {
    const { error } = check._zod.def;
    // A rule's message is its code; the input does not matter.
    const code = error?.({ code: 'custom', input: undefined, path: [] } as never);
    const text = typeof code === 'string' ? ruleTextOf(code) : undefined;
    if (text === undefined) continue;
    if (code !== 'list.order') texts.push(text); // its pattern names the columns
    const more = keywords[code as RuleCode]; // it has a text
    // One pattern for each text: generators of data are slow where several have to hold.
    if (more !== undefined) Object.assign(json, more, json['pattern'] !== undefined && { pattern: json['pattern'] });
  }
  if (texts.length > 0) json['description'] = texts.join('; ');
}

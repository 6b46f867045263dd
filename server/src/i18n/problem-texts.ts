import type { Language } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import type { Kind, Measure } from './text-types.ts';
import { serverTexts } from './texts.ts';

const kinds: Readonly<Record<string, Kind>> = {
  string: 'text',
  number: 'number',
  nan: 'number',
  int: 'whole',
  boolean: 'flag',
  array: 'list',
  tuple: 'list',
  object: 'object',
  record: 'object',
};

const measureOf = (origin: string): Measure =>
  origin === 'string' ? 'characters' : origin === 'array' || origin === 'set' ? 'entries' : 'number';

/**
 * Text for a validation issue; it follows the name of the field. Never falls back to zod's own message, which is English
 * only: a new issue code does not compile without a text.
 */
export function problemOf(issue: z.core.$ZodIssue, language: Language): string {
  const texts = serverTexts(language).problems;
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.input === undefined) return texts.required;
      const kind = kinds[issue.expected];
      return kind ? texts.expected(texts.kinds[kind]) : texts.invalid;
    }
    case 'too_small': {
      const limit = String(issue.minimum);
      const measure = measureOf(issue.origin);
      return issue.inclusive === false && measure === 'number' ? texts.above(limit) : texts.atLeast[measure](limit);
    }
    case 'too_big': {
      const limit = String(issue.maximum);
      const measure = measureOf(issue.origin);
      return issue.inclusive === false && measure === 'number' ? texts.below(limit) : texts.atMost[measure](limit);
    }
    case 'not_multiple_of':
      return issue.divisor === 1 ? texts.expected(texts.kinds.whole) : texts.multiple(String(issue.divisor));
    case 'invalid_value':
      return issue.input === undefined ? texts.required : texts.oneOf(issue.values.map(String).join(', '));
    case 'unrecognized_keys':
      return texts.unknownKeys(issue.keys.join(', '));
    case 'invalid_format':
      return texts.format;
    case 'invalid_key':
    case 'invalid_element': {
      const [inner] = issue.issues;
      return inner ? problemOf(inner, language) : texts.invalid;
    }
    case 'invalid_union':
      return issue.input === undefined ? texts.required : texts.invalid;
    case 'custom':
      return texts.invalid;
  }
}

/** Text for a field that was ignored. */
export const ignoredText = (field: string, language: Language): string => serverTexts(language).problems.ignored(field);

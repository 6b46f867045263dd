import { zodResolver } from '@hookform/resolvers/zod';
import type { FieldValues, Resolver } from 'react-hook-form';
import type * as z from 'zod/v4/core';

/**
 * A resolver for a schema of the contract. Messages are codes (`low:1`, `required`,
 * `model.wildcard`), which the fields translate when they render.
 */
export function contractResolver<Input extends FieldValues, Output>(
  schema: z.$ZodType<Output, Input>,
): Resolver<Input, unknown, Output> {
  return zodResolver(schema, { error: codeOf });
}

function codeOf(issue: z.$ZodRawIssue): string {
  const { code, input } = issue;
  const empty = input === undefined || input === null || input === '';
  switch (code) {
    case 'too_small':
      return limit(issue, Number(issue.minimum), { text: 'short', list: 'few', number: 'low', exclusive: 'above' });
    case 'too_big':
      return limit(issue, Number(issue.maximum), { text: 'long', list: 'many', number: 'high', exclusive: 'below' });
    case 'not_multiple_of':
      return issue.divisor === 1 ? 'whole' : `multiple:${String(issue.divisor)}`;
    case 'invalid_format':
      return issue.format === 'email' ? 'email' : 'format';
    case 'invalid_type':
      return !empty && issue.expected === 'int' && typeof input === 'number' ? 'whole' : empty ? 'required' : 'type';
    default:
      return empty ? 'required' : 'type';
  }
}

interface LimitCodes {
  text: 'short' | 'long';
  list: 'few' | 'many';
  number: 'low' | 'high';
  /** Where the limit itself is not allowed. */
  exclusive: 'above' | 'below';
}

function limit(
  { origin, inclusive }: { origin?: string; inclusive?: boolean },
  bound: number,
  codes: LimitCodes,
): string {
  if (origin === 'string') return codes.text === 'short' && bound <= 1 ? 'required' : `${codes.text}:${bound}`;
  if (origin === 'array' || origin === 'set')
    return codes.list === 'few' && bound <= 1 ? 'required' : `${codes.list}:${bound}`;
  return `${inclusive === false ? codes.exclusive : codes.number}:${bound}`;
}

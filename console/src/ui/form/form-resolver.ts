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
  if (issue.code === 'too_small')
    return limit(issue.origin, Number(issue.minimum), { text: 'short', list: 'few', number: 'low' });
  if (issue.code === 'too_big')
    return limit(issue.origin, Number(issue.maximum), { text: 'long', list: 'many', number: 'high' });
  if (issue.code === 'invalid_format') return issue.format === 'email' ? 'email' : 'format';
  const empty = issue.input === undefined || issue.input === null || issue.input === '';
  return empty ? 'required' : 'type';
}

function limit(
  origin: string | undefined,
  bound: number,
  words: { text: string; list: string; number: string },
): string {
  if (origin === 'string') return words.text === 'short' && bound <= 1 ? 'required' : `${words.text}:${bound}`;
  if (origin === 'array' || origin === 'set')
    return words.list === 'few' && bound <= 1 ? 'required' : `${words.list}:${bound}`;
  return `${words.number}:${bound}`;
}

import { isObject } from '#json.ts';
import type { OperationName } from '#relay/types/call-types.ts';

/** Limits that clients with a slider send as 0 when they have none. */
const limits = ['max_tokens', 'max_completion_tokens', 'n'] as const;

const operations: ReadonlySet<OperationName> = new Set(['chat', 'completions', 'images.generations']);

/** The limits that are 0, which counts as absent in OpenAI's dialect; undefined: none. */
export function zeroLimitsIn(json: unknown, operation: OperationName): string[] | undefined {
  if (!isObject(json) || !operations.has(operation)) return undefined;
  let found: string[] | undefined;
  for (const name of limits) if (json[name] === 0) (found ??= []).push(name);
  return found;
}

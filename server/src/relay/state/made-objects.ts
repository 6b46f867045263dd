import { isObject, listOr, objectOr, type Json, textOr } from '#json.ts';
import type { UpstreamObject } from '#affinity/upstream-objects.ts';

/** OpenAI deletes a container when it was not used for this time. */
const OPENAI_CONTAINER_S = 20 * 60;
/** Anthropic's containers last 30 days at most, from its documentation of code execution. */
const ANTHROPIC_S = 30 * 86_400;
/** More files of one reply are not recorded. */
const MAX_FILES = 1000;

type MadeObject = Pick<UpstreamObject, 'kind' | 'id'> & {
  /** Unix seconds. */
  until: number;
};

/**
 * Containers, and files in them, that tools made at the provider during a call. The caller's next request names them,
 * and may name no others.
 */
export function madeIn(reply: Json, now: number): MadeObject[] {
  const made = new Map<string, MadeObject>();
  const add = (kind: MadeObject['kind'], id: unknown, until: number) => {
    if (typeof id === 'string' && id !== '') made.set(id, { kind, id, until });
  };
  for (const item of listOr(reply['output']))
    if (isObject(item)) add('container', item['container_id'], now + OPENAI_CONTAINER_S);
  const { id, expires_at: end } = objectOr(reply['container']);
  const ends = Math.floor(Date.parse(textOr(end, '')) / 1000);
  add('message_container', id, ends > now ? Math.min(ends, now + ANTHROPIC_S) : now + ANTHROPIC_S);
  for (const file of filesIn(listOr(reply['content'])).slice(0, MAX_FILES)) add('file', file, now + ANTHROPIC_S);
  return [...made.values()];
}

/** Ids of files in results of Anthropic's code execution. */
const filesIn = (content: readonly unknown[]): unknown[] =>
  content
    .filter((block) => isObject(block) && textOr(block['type'], '').endsWith('code_execution_tool_result'))
    .flatMap((block) => listOr(objectOr(objectOr(block)['content'])['content']))
    .map((output) => objectOr(output)['file_id']);

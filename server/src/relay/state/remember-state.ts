import { completionTokens } from '@relay-hub/contract';
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import { storeResponse } from '#affinity/response-store.ts';
import { rememberObjects, rememberUnknown, setTokens, type UpstreamObject } from '#affinity/upstream-objects.ts';
import { wholePrompt } from '#chat/usage-totals.ts';
import type { Deps } from '#deps.ts';
import type { FinishedAttempts, RelayCall } from '#relay/types/call-types.ts';

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
function madeIn(reply: Json, now: number): MadeObject[] {
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

/** OpenAI keeps responses for 30 days. Anthropic names no time for threads. */
const KEPT_BY_PROVIDER_S = 30 * 86_400;

/**
 * Records where the reply of a call is kept, before the caller receives its end. Never rejects: a reply is worth more
 * than a later reference to it.
 */
export async function rememberState(deps: Deps, call: RelayCall, finished: FinishedAttempts): Promise<void> {
  const { state } = call;
  const { outcome } = finished.verdict;
  if (!state?.reply || (outcome !== 'answered' && outcome !== 'client_gone')) return;
  const { reply, owner, keeps } = state;
  const id = textOr(reply['id'], '');
  try {
    const now = deps.now();
    if (finished.choice.operation.dialect === call.dialect) {
      const made = Map.groupBy(madeIn(reply, now), ({ until }) => until);
      for (const [until, ofOneTime] of made) {
        const objects = ofOneTime.map((object) => ({ ...object, ...placeOf(finished), parentId: '', tokens: 0 }));
        await rememberUnknown(deps.db, owner, objects, { now, until });
      }
      if (!keeps || state.kind === 'objects' || id === '') return;
      await rememberObjects(deps.db, owner, objectsOf(state.kind, id, reply, finished), {
        now,
        until: now + KEPT_BY_PROVIDER_S,
      });
      if (state.conversationId !== '') await setTokens(deps.db, owner.userId, state.conversationId, tokensOf(finished));
    } else if (keeps && state.storeHours > 0 && id !== '')
      await storeResponse(
        deps,
        owner,
        { response: reply, input: state.input, previousId: state.previousId },
        { now, until: now + state.storeHours * 3600 },
      );
  } catch (error) {
    deps.log.error({ err: error, request: call.requestId }, 'the state of a conversation could not be recorded');
  }
}

const tokensOf = ({ verdict: { usage } }: Pick<FinishedAttempts, 'verdict'>): number =>
  wholePrompt(usage) + completionTokens(usage);

const placeOf = ({ choice }: Pick<FinishedAttempts, 'choice'>) => ({
  channelId: choice.channel.id,
  keyId: choice.key.id,
});

function objectsOf(
  kind: 'response' | 'thread',
  id: string,
  reply: Json,
  { choice, verdict }: FinishedAttempts,
): UpstreamObject[] {
  const place = placeOf({ choice });
  const tokens = tokensOf({ verdict });
  if (kind === 'thread') return [{ kind: 'message', id, ...place, parentId: '', tokens }];
  const items = listOr(reply['output']).flatMap((item): UpstreamObject[] =>
    isObject(item) && typeof item['id'] === 'string'
      ? [{ kind: 'item', id: item['id'], ...place, parentId: id, tokens: 0 }]
      : [],
  );
  return [{ kind: 'response', id, ...place, parentId: '', tokens }, ...items];
}

import { completionTokens } from '@relay-hub/contract';
import { isObject, listOr, type Json } from '#json.ts';
import { storeResponse } from '#affinity/response-store.ts';
import { rememberObjects, rememberUnknown, setTokens, type UpstreamObject } from '#affinity/upstream-objects.ts';
import { wholePrompt } from '#chat/usage-totals.ts';
import type { Deps } from '#deps.ts';
import type { FinishedAttempts, RelayCall } from '#relay/call/types.ts';

/** OpenAI keeps responses for 30 days. Anthropic names no time for threads. */
const KEPT_BY_PROVIDER_S = 30 * 86_400;
/** OpenAI deletes a container when it was not used for this time. */
const CONTAINER_S = 20 * 60;

/**
 * Records where the reply of a call is kept, before the caller receives its end. Never rejects: a reply is worth more
 * than a later reference to it.
 */
export async function rememberState(deps: Deps, call: RelayCall, finished: FinishedAttempts): Promise<void> {
  const { state } = call;
  const { outcome } = finished.verdict;
  const id = state?.reply?.['id'];
  if (
    !state?.keeps ||
    state.kind === 'files' ||
    typeof id !== 'string' ||
    id === '' ||
    (outcome !== 'answered' && outcome !== 'client_gone')
  )
    return;
  try {
    const isKeptThere = finished.choice.operation.dialect === call.dialect;
    const now = deps.now();
    if (isKeptThere) {
      const objects = objectsOf(state.kind, id, state.reply ?? {}, finished);
      await rememberObjects(deps.db, state.owner, objects, { now, until: now + KEPT_BY_PROVIDER_S });
      const made = containersIn(state.reply ?? {}, finished);
      await rememberUnknown(deps.db, state.owner, made, { now, until: now + CONTAINER_S });
      if (state.conversationId !== '')
        await setTokens(deps.db, state.owner.userId, state.conversationId, tokensOf(finished));
    } else if (state.storeHours > 0)
      await storeResponse(
        deps,
        state.owner,
        { response: state.reply ?? {}, input: state.input, previousId: state.previousId },
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

/** Containers that the provider made for tools of the call. */
function containersIn(reply: Json, finished: Pick<FinishedAttempts, 'choice'>): UpstreamObject[] {
  const ids = listOr(reply['output']).flatMap((item) =>
    isObject(item) && typeof item['container_id'] === 'string' ? [item['container_id']] : [],
  );
  return [...new Set(ids)].map((id) => ({ kind: 'container', id, ...placeOf(finished), parentId: '', tokens: 0 }));
}

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

import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import { embeddingName } from '#providers/media/embeddings.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { decodeName } from '#relay/body/url-query.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import type { AuthenticatedCaller, HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { passThrough } from '#relay/pass-through/pass-through.ts';
import { dialectOf } from './endpoints.ts';
import { isOffered, offeredModels } from '#relay/select/offered-models.ts';
import { modelForbidden } from '#relay/admission/limit-refusal.ts';
import { modelNotFound, modelOff } from '#relay/reply/relay-error.ts';
import { mayCall } from '#live/model-switch.ts';

interface ModelObject {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
}

/** Placeholder date; compatible servers use the same constant. */
const CREATED = 1_677_649_963;

/** Name patterns of models that are no chats; they only decide about the order. */
const mediaName =
  /embed|moderation|rerank|transcri|whisper|realtime|speech|voice|music|lyria|video|image|dall-e|imagen|\b(?:tts|veo|sora|kling|suno|chirp|mj|flux|sd3|recraft|cogview|stable)(?:[-_.\d]|$)/i;

/**
 * Models that the caller's group and key can call, without those that have no price. The clients of Anthropic and Google, which
 * only chat, get chat models first: their pickers are long, and some take the first.
 */
function listModels({ live }: Deps, { caller, group }: AuthenticatedCaller, dialect: DialectId): object {
  const all = [...offeredModels(live, group.symbol)].filter((id) => caller.limits?.models?.(id) !== false).toSorted();
  const ids =
    dialect === 'openai' || dialect === 'responses'
      ? all
      : [...all.filter((id) => !mediaName.test(id)), ...all.filter((id) => mediaName.test(id))];
  if (dialect === 'gemini') return { models: ids.map(geminiModel) };
  if (dialect === 'anthropic') return anthropicList(ids);
  return { object: 'list', data: ids.map((id) => modelObject(live, id)) };
}

/** https://docs.anthropic.com/en/api/models-list */
const anthropicList = (ids: readonly string[]): object => ({
  data: ids.map(anthropicModel),
  has_more: false,
  first_id: ids[0] ?? null,
  last_id: ids.at(-1) ?? null,
});

const anthropicModel = (id: string): object => ({
  type: 'model',
  id,
  display_name: id,
  created_at: new Date(CREATED * 1000).toISOString(),
});

/** https://ai.google.dev/api/models */
const geminiModel = (id: string): object => ({
  name: `models/${id}`,
  displayName: id,
  supportedGenerationMethods: embeddingName.test(id)
    ? ['embedContent', 'batchEmbedContents']
    : ['generateContent', 'streamGenerateContent', 'countTokens'],
});

/** One model. Throws a 403 or 404 if the caller's group cannot call it. */
function showModel({ live }: Deps, { caller, group }: AuthenticatedCaller, dialect: DialectId, id: string): object {
  if (!mayCall(group, id) && live.routes.serves(group.symbol, id)) throw modelOff(id, group.symbol);
  if (!isOffered(live, group.symbol, id)) throw modelNotFound(id);
  if (caller.limits?.models?.(id) === false) throw modelForbidden(id);
  if (dialect === 'gemini') return geminiModel(id);
  return dialect === 'anthropic' ? anthropicModel(id) : modelObject(live, id);
}

function modelObject(live: Deps['live'], id: string): ModelObject {
  const price = live.prices.listed(id);
  return { id, object: 'model', created: CREATED, owned_by: live.owners.get(price?.channel_type ?? 0) ?? 'unknown' };
}

async function answerModels(context: HttpContext, [name]: readonly string[]): Promise<void> {
  const { deps, request, response, requestId } = context;
  const dialect = dialectOf(request.url ?? '/', request.headers);
  const authenticated = await authenticate(context, dialect);
  const list = name === undefined ? listModels(deps, authenticated, dialect) : undefined;
  sendJson(response, requestId, list ?? showModel(deps, authenticated, dialect, decodeName(name ?? '')));
}

export const modelRows: readonly PathRow[] = [
  { path: '/v1/models', endpoint: '/v1/models', answers: { GET: answerModels } },
  { path: '/claude/v1/models', endpoint: '/claude/v1/models', answers: { GET: answerModels } },
  {
    path: '/v1/models/{model}',
    // The relay lists models; a fine-tuned model is deleted at its provider.
    answers: { GET: answerModels, DELETE: (context) => passThrough(context, '/v1/models') },
  },
  { path: '/claude/v1/models/{model}', answers: { GET: answerModels } },
  { path: '/gemini/{version}/models', answers: { GET: answerModels } },
  { path: '/gemini/{version}/models/{resource}', answers: { GET: answerModels } },
];

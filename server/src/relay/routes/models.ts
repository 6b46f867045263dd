import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import { embeddingName } from '#providers/media/embeddings.ts';
import type { AuthenticatedCaller } from '#relay/types/call-types.ts';
import { isOffered, offeredModels } from '#relay/select/offered-models.ts';
import { modelForbidden } from '#relay/admission/limit-refusal.ts';
import { modelNotFound } from '#relay/reply/relay-error.ts';

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
export function listModels({ live }: Deps, { caller, group }: AuthenticatedCaller, dialect: DialectId): object {
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

/** One model. Throws a 404 if the caller's group cannot call it. */
export function showModel(
  { live }: Deps,
  { caller, group }: AuthenticatedCaller,
  dialect: DialectId,
  id: string,
): object {
  if (!isOffered(live, group.symbol, id)) throw modelNotFound(id);
  if (caller.limits?.models?.(id) === false) throw modelForbidden(id);
  if (dialect === 'gemini') return geminiModel(id);
  return dialect === 'anthropic' ? anthropicModel(id) : modelObject(live, id);
}

function modelObject(live: Deps['live'], id: string): ModelObject {
  const price = live.prices.listed(id);
  return { id, object: 'model', created: CREATED, owned_by: live.owners.get(price?.channel_type ?? 0) ?? 'unknown' };
}

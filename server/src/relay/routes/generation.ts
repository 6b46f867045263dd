import { completionTokens, inputTokens, tokensFromCache, usageOf } from '@relay-hub/contract';
import { authenticate } from '#relay/admission/authenticate.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { sendJson } from '#relay/reply/send-json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import type { PathRow } from '#relay/types/path-row.ts';
import { checkQueries } from './billing.ts';

export const generationRows: readonly PathRow[] = [
  { path: '/v1/generation', endpoint: '/v1/generation', answers: { GET: answerGeneration } },
];

/**
 * The charge and tokens of a call of this key, by the id of its request, in OpenRouter's form. The cost is that of the
 * log row. https://openrouter.ai/docs/api-reference/get-a-generation
 */
async function answerGeneration(context: HttpContext): Promise<void> {
  const { deps, request, response, requestId } = context;
  await checkQueries(context);
  const { caller } = await authenticate(context);
  const id = new URL(request.url ?? '', 'http://hub').searchParams.get('id') ?? '';
  if (!/^[\w-]{1,128}$/.test(id)) throw badRequest("'id' must be the request id of a call.", 'id');
  // Includes calls that have just finished.
  await deps.book.caughtUp();
  const row = await deps.db
    .selectFrom('logs')
    .where('request_id', '=', id)
    .where('token_id', '=', caller.tokenId)
    .select(['request_id', 'model_name', 'quota', 'prompt_tokens', 'completion_tokens', 'created_at', 'is_stream'])
    .select(['request_time', 'metadata'])
    .executeTakeFirst();
  if (!row)
    throw new RelayError(404, 'This key made no call with this id.', {
      type: 'invalid_request_error',
      code: 'generation_not_found',
      param: 'id',
    });
  const m = row.metadata ?? {};
  const usage = usageOf(row);
  const [prompt, completion] = [inputTokens(usage), completionTokens(usage)];
  const cost = row.quota / deps.live.settings.QuotaPerUnit;
  sendJson(response, requestId, {
    data: {
      id: row.request_id,
      model: row.model_name,
      total_cost: cost,
      usage: cost,
      credits: row.quota,
      created_at: new Date(row.created_at * 1000).toISOString(),
      streamed: row.is_stream,
      cancelled: m.outcome === 'client_gone',
      latency: m.first_response ?? row.request_time,
      generation_time: row.request_time,
      finish_reason: m.finish_reason ?? null,
      tokens_prompt: prompt,
      tokens_completion: completion,
      native_tokens_prompt: prompt,
      native_tokens_completion: completion,
      native_tokens_cached: tokensFromCache(usage),
      native_tokens_reasoning: usage.reasoning,
      usage_source: m.usage_source ?? null,
      service_tier: m.served?.modes?.[0] ?? null,
    },
  });
}

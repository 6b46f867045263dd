import type { Deps } from '#deps.ts';
import { attemptsIn } from '#quota/attempt-kinds.ts';
import type { Settlement } from '#quota/book.ts';
import type { FinishedCall, RelayCall } from '#relay/types/call-types.ts';

/** Counts a finished call in metrics, and logs a failed one without any content. */
export function noteCall(
  deps: Deps,
  call: Pick<RelayCall, 'caller' | 'endpoint' | 'requestId' | 'reservation'>,
  finished: FinishedCall,
  settlement: Settlement,
): void {
  const { meter, log, usageWatch, typicalOutputs } = deps;
  const { choice, verdict, attempts, firstMs } = finished;
  const { credits, log: row } = settlement;
  const { outcome, refusal, reply } = verdict;
  const status = refusal?.status ?? reply?.status ?? 200;
  meter.ended({
    endpoint: metricsEndpoint(call.endpoint),
    outcome,
    status,
    channelType: choice.channel.provider.type,
    firstMs,
    totalMs: row.requestTimeMs,
    credits,
    tokens: { prompt: row.promptTokens, completion: row.completionTokens, cached: row.cachedTokens },
  });
  noteHour(deps, call, finished, settlement);
  if (verdict.doubt)
    usageWatch.note({ requestId: call.requestId, channelId: choice.channel.id, model: row.model, ...verdict.doubt });
  // Only streams of texts use it.
  if (outcome === 'answered' && call.reservation?.output !== undefined && verdict.endedBy === undefined)
    typicalOutputs.note(row.model, call.endpoint, row.completionTokens);
  if (refusal) refusal.alreadyCounted = true;
  if (outcome !== 'failed' && outcome !== 'broken') return;
  log.warn(
    {
      request: call.requestId,
      endpoint: call.endpoint,
      channel: choice.channel.id,
      code: verdict.code,
      status,
      upstreamStatus: attempts.at(-1)?.status ?? 0,
      attempts: attempts.length,
      ms: row.requestTimeMs,
    },
    outcome === 'failed' ? 'call failed' : 'call broke off',
  );
}

/** Counts it among the calls of this minute. */
function noteHour(
  { hour, live, now }: Deps,
  { caller, endpoint }: Pick<RelayCall, 'caller' | 'endpoint'>,
  { verdict, attempts, firstMs }: FinishedCall,
  { credits, channelId, failed, log: row }: Settlement,
): void {
  const last = attempts.at(-1);
  const kinds = attemptsIn({ channelId, failed, attempts });
  if (live.settings.StatusPageEnabled) {
    const kind = kinds.at(-1)?.[1];
    const isFault = failed && kind !== 'request' && kind !== 'caller';
    live.endpointCalls.note({ endpoint, failed: isFault, firstMs: row.isStream ? firstMs : undefined }, now());
  }
  hour.ended({
    caller,
    model: row.model,
    failed,
    credits,
    firstMs: row.isStream ? firstMs : undefined,
    attemptFirstMs: row.isStream && !failed ? last?.first_byte : undefined,
    durationMs: failed || attempts.length > 1 || endpoint === '/v1/realtime' ? undefined : row.requestTimeMs,
    attempts: kinds,
    ...(failed && {
      failure: {
        status: last?.status || (verdict.refusal?.status ?? 0),
        kind: kinds.at(-1)?.[1] ?? 'hub',
        message: verdict.message ?? '',
      },
    }),
  });
}

const googleObjects = /^\/gemini\/(?:files|cachedContents|batches|live)$/;

/** Label of an endpoint in metrics. Gemini's paths contain text that callers choose. */
export function metricsEndpoint(endpoint: string): string {
  if (!endpoint.startsWith('/gemini/') || googleObjects.test(endpoint)) return endpoint;
  const interactions = endpoint.indexOf('/interactions');
  return interactions < 0
    ? `/gemini/${endpoint.slice(endpoint.lastIndexOf(':'))}`
    : `/gemini${endpoint.slice(interactions)}`;
}

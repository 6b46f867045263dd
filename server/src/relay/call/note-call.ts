import type { Deps } from '#deps.ts';
import { attemptsIn } from '#quota/attempt-kinds.ts';
import type { Settlement } from '#quota/book.ts';
import type { FinishedCall, RelayCall } from '#relay/types/call-types.ts';

/** Counts a finished call in metrics, and logs a failed one without any content. */
export function noteCall(deps: Deps, call: RelayCall, finished: FinishedCall, settlement: Settlement): void {
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
  if (deps.telemetry && call.spans)
    exportCall(deps.telemetry, call, { spans: call.spans, status, finished, settlement });
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

/** Hands it over to the export of telemetry, without anything that holds its content. */
function exportCall(
  telemetry: NonNullable<Deps['telemetry']>,
  call: RelayCall,
  {
    spans,
    status,
    finished: { choice, verdict, attempts, cached },
    settlement: { credits, log: row },
  }: { spans: NonNullable<RelayCall['spans']>; status: number; finished: FinishedCall; settlement: Settlement },
): void {
  telemetry.note({
    context: spans,
    requestId: call.requestId,
    endpoint: metricsEndpoint(call.endpoint),
    operation: call.operation,
    dialect: call.dialect,
    endMs: Date.now(),
    totalMs: row.requestTimeMs,
    outcome: verdict.outcome,
    status,
    code: verdict.code,
    userId: call.caller.userId,
    tokenId: call.caller.tokenId,
    group: call.group.symbol,
    credits,
    model: row.model,
    requestedModel: call.request.requestedName ?? call.request.model,
    last: { provider: choice.channel.provider.id, upstreamModel: choice.upstreamModel },
    isStream: row.isStream,
    outputLimit: call.request.outputLimit,
    usage: verdict.outcome === 'failed' ? undefined : verdict.usage,
    usageSource: verdict.usageSource,
    finishReason: verdict.finishReason,
    isCached: cached !== undefined,
    attempts,
  });
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

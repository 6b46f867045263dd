import { performance } from 'node:perf_hooks';
import { type Attempt, creditsFor, type LogMetadata, noUsage, usageRow } from '@relay-hub/contract';
import type { CountShare } from '#quota/batch-items.ts';
import type { Settlement } from '#quota/book.ts';
import { countedIn } from '#quota/limit-use.ts';
import { CONTENT_FILTER } from '#relay/outcome/content-filter.ts';
import type { FinishedCall, RelayCall } from '#relay/types/call-types.ts';

/** The charge of a finished call, and its log row. */
export function settlementOf(
  call: RelayCall,
  ended: FinishedCall,
  now: number,
  counts?: readonly CountShare[],
): Settlement {
  const { choice, verdict } = ended;
  const { usage, outcome } = verdict;
  const counted = usageRow(outcome === 'failed' ? noUsage : usage, choice.price.extra_ratios);
  const failed = outcome === 'failed' || outcome === 'broken';
  return {
    requestId: call.requestId,
    // Without any attempt no channel is to blame.
    channelId: ended.attempts.length === 0 ? 0 : choice.channel.id,
    credits: outcome === 'failed' ? 0 : creditsFor(choice.rates, usage),
    now,
    failed,
    // A blocked prompt does not count against the channel.
    channelError: failed && verdict.code !== CONTENT_FILTER ? (verdict.message ?? verdict.code) : '',
    earlierErrors: ended.attempts.length > 1 ? earlierErrors(ended.attempts) : undefined,
    task: ended.task,
    log: {
      content: ended.content ?? '',
      username: call.caller.username,
      tokenName: call.caller.tokenName,
      model: choice.billedModel,
      promptTokens: counted.prompt_tokens,
      completionTokens: counted.completion_tokens,
      cachedTokens: usage.cached + usage.cacheRead,
      requestTimeMs: Math.round(performance.now() - call.startMs),
      isStream: call.request.stream,
      sourceIp: call.sourceIp,
      metadata: JSON.stringify(metadataOf(call, ended, withLimits(counted.metadata, counts))),
    },
  };
}

const earlierErrors = (attempts: readonly Attempt[]): [number, string][] =>
  attempts.slice(0, -1).map(({ channel_id, message, result }) => [channel_id, message ?? result]);

const withLimits = (counted: LogMetadata, shares: readonly CountShare[] | undefined): LogMetadata =>
  shares && shares.length > 0 ? { ...counted, limits: countedIn(shares) } : counted;

function metadataOf(
  call: RelayCall,
  { choice, verdict, attempts, firstMs, task }: FinishedCall,
  counts: LogMetadata,
): LogMetadata {
  const { group, request } = call;
  const { price, billedModel, upstreamModel } = choice;
  const metadata: LogMetadata = {
    group_name: group.symbol,
    price_type: price.type,
    group_ratio: group.ratio,
    input_ratio: price.input,
    output_ratio: price.output,
    ...counts,
    outcome: verdict.outcome,
    price_version: price.version,
    usage_source: verdict.usageSource,
    reserved: call.reserved,
    endpoint: call.endpoint,
  };
  if (verdict.doubt) {
    metadata.usage_mark = verdict.doubt.mark;
    metadata.usage_findings = verdict.doubt.findings;
  }
  // Old consoles divide by the time after it, which a reply in one piece does not have.
  if (firstMs !== undefined && request.stream) metadata.first_response = firstMs;
  const { requestedName: named = request.model } = request;
  if (named !== billedModel) metadata.requested_model = named;
  if (upstreamModel !== billedModel) metadata.upstream_model = upstreamModel;
  if (verdict.endedBy !== undefined) metadata.ended_by = verdict.endedBy;
  if (verdict.finishReason !== undefined) metadata.finish_reason = verdict.finishReason;
  if (verdict.refusal) {
    metadata.status = verdict.refusal.status;
    metadata.error = verdict.refusal.code;
  }
  metadata.attempts = attempts;
  if (task) metadata.task_id = task.taskId;
  return metadata;
}

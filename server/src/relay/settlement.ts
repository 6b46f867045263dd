import type { LogMetadata, Usage, UsageKind } from '@relay-hub/contract';
import { completionTokens, creditsFor, extraRatio, promptTokens } from '@relay-hub/contract';
import type { SettleItem } from '#quota/book-statements.ts';
import type { Call } from './call.ts';
import type { Verdict } from './judge.ts';
import type { Sent } from './send.ts';

/** The names on the wire of the counters that have a ratio of their own. */
const extraKinds = [
  ['cached', 'cached_tokens', 'cached_tokens_ratio'],
  ['cacheRead', 'cached_read_tokens', 'cached_read_ratio'],
  ['cacheWrite', 'cached_write_tokens', 'cached_write_ratio'],
  ['cacheWrite1h', 'cached_write_1h_tokens', 'cached_write_1h_ratio'],
  ['inputAudio', 'input_audio_tokens', 'input_audio_tokens_ratio'],
  ['inputImage', 'input_image_tokens', 'input_image_tokens_ratio'],
  ['outputAudio', 'output_audio_tokens', 'output_audio_tokens_ratio'],
  ['reasoning', 'reasoning_tokens', 'reasoning_tokens_ratio'],
] as const satisfies readonly (readonly [UsageKind, keyof LogMetadata, keyof LogMetadata])[];

/** What the book is told of a call that has ended: its cost, and the row that explains it. */
export function settlementOf(call: Call, sent: Sent, verdict: Verdict, now: number): Omit<SettleItem, 'kind'> {
  const { usage, outcome } = verdict;
  const failed = outcome === 'failed' || outcome === 'broken';
  return {
    requestId: call.requestId,
    userId: call.caller.userId,
    tokenId: call.caller.tokenId,
    channelId: call.channel.id,
    credits: outcome === 'failed' ? 0 : creditsFor(call.rates, usage),
    now,
    failed,
    channelError: failed ? (verdict.message ?? verdict.result) : '',
    log: {
      content: '',
      username: call.caller.username,
      tokenName: call.caller.tokenName,
      model: call.billedModel,
      promptTokens: promptTokens(usage),
      completionTokens: completionTokens(usage),
      cachedTokens: usage.cached + usage.cacheRead,
      requestTimeMs: Math.round(performance.now() - call.startMs),
      isStream: call.request.stream,
      sourceIp: call.sourceIp,
      metadata: JSON.stringify(metadataOf(call, sent, verdict)),
    },
  };
}

function metadataOf(call: Call, sent: Sent, verdict: Verdict): LogMetadata {
  const { price, group, request, channel } = call;
  const firstMs = sent.firstByteMs ?? sent.headMs;
  const start = Math.max(0, Math.round(performance.now() - call.startMs) - sent.ms);
  return {
    group_name: group.symbol,
    price_type: price.type,
    group_ratio: group.ratio,
    input_ratio: price.input,
    output_ratio: price.output,
    ...extras(usageOrNone(verdict), price.extra_ratios),
    ...(firstMs !== undefined && { first_response: start + firstMs }),
    outcome: verdict.outcome,
    price_version: price.version,
    usage_source: verdict.usageSource,
    reserved: call.reserved,
    endpoint: call.endpoint,
    ...(request.model !== call.billedModel && { requested_model: request.model }),
    ...(call.upstreamModel !== call.billedModel && { upstream_model: call.upstreamModel }),
    ...(verdict.finishReason !== undefined && { finish_reason: verdict.finishReason }),
    ...(verdict.refusal && { status: verdict.refusal.status, error: verdict.refusal.code }),
    attempts: [
      {
        channel_id: channel.id,
        channel_name: channel.name,
        status: sent.status,
        start,
        ms: sent.ms,
        ...(firstMs !== undefined && { first_byte: firstMs }),
        result: verdict.result,
        ...(verdict.message !== undefined && { message: verdict.message }),
      },
    ],
  };
}

const usageOrNone = ({ outcome, usage }: Verdict): Usage | undefined => (outcome === 'failed' ? undefined : usage);

/** Counts that are not zero, each with the ratio that it was charged at. */
function extras(usage: Usage | undefined, ratios: Parameters<typeof extraRatio>[1]): LogMetadata {
  const found: Record<string, number> = {};
  if (!usage) return found;
  for (const [kind, count, ratio] of extraKinds) {
    if (usage[kind] === 0) continue;
    found[count] = usage[kind];
    found[ratio] = extraRatio(kind, ratios);
  }
  return found;
}

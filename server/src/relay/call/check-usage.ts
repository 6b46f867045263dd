import type { AttemptResult } from '#relay/upstream/attempt-result.ts';
import { factsOf } from '#usage/model-facts.ts';
import { documentsIn, kindOfRequest, type RequestKind } from '#usage/request-kind.ts';
import { type CallNature, type CallSizes, checkedUsage, isWithinSizes } from '#usage/usage-bounds.ts';
import type { AttemptedCall, Verdict } from './types.ts';

/**
 * A verdict whose usage is within what its call can have used: what is above is cut to that, and what is far from what
 * was visible is marked. Nearly every call ends at a comparison of sizes that are known already.
 */
export function withCheckedUsage(call: AttemptedCall, result: AttemptResult, verdict: Verdict): Verdict {
  if (
    verdict.outcome === 'failed' ||
    (verdict.usageSource === 'estimate' && !verdict.partlyReported && !verdict.images)
  )
    return verdict;
  const sizes = sizesOf(call, result, verdict);
  if (isWithinSizes(verdict.usage, sizes)) return verdict;
  const checked = checkedUsage(verdict.usage, sizes, natureOf(call, result, verdict));
  if (!checked) return verdict;
  verdict.usage = checked.usage;
  verdict.doubt = { mark: checked.mark, findings: checked.findings };
  return verdict;
}

/** A day: longer than any sound that is listened to in one call. */
const MOST_SECONDS = 86_400;

function sizesOf(
  { request, outgoing, operation }: AttemptedCall,
  { stream, streamedBytes: streamed, body, parts }: AttemptResult,
  verdict: Verdict,
): CallSizes {
  let received = stream ? streamed : body.length;
  let sentBytes = outgoing.storedBody?.length ?? outgoing.body.length;
  for (const part of parts?.slice(1) ?? []) received += part.body.length;
  for (const part of outgoing.moreBodies ?? []) sentBytes += part.length;
  const { outputLimit, choices = 1, maxSeconds: mostSeconds = MOST_SECONDS, assumed } = request;
  const isImages = operation.startsWith('images.');
  return {
    sent: sentBytes,
    received,
    // Pieces of a stream have frames, of which a reader may not know every form.
    seen: stream && !isImages ? Math.max(stream.estimatedOutput(), received / 64) : received / 4,
    choices,
    limit: operation === 'chat' || operation === 'completions' ? outputLimit : undefined,
    seconds: mostSeconds,
    images: isImages ? (assumed?.units ?? 1) : undefined,
    imagesMade: verdict.images,
  };
}

function natureOf(call: AttemptedCall, result: AttemptResult, { usage, finishReason }: Verdict): CallNature {
  const { choice, operation, json, outgoing } = call;
  const facts = factsOf(choice.upstreamModel);
  const isChat = operation === 'chat' || operation === 'completions';
  let known: RequestKind | undefined;
  const kind = () => (known ??= kindOfRequest(json));
  let told: RequestLimit | undefined;
  const limit = () => (told ??= limitIn(outgoing.body));
  return {
    facts,
    kind,
    documents: operation === 'rerank' ? documentsIn(json) : 1,
    sentLimit() {
      const { most, isOldName } = limit();
      if (
        most === undefined ||
        (isOldName && usage.reasoning === 0 && mayExcludeReasoning(call) && hasReasoning(result))
      )
        return undefined;
      return Math.max(call.request.outputLimit ?? 0, most * (call.request.choices ?? 1));
    },
    reasoningBesideLimit: () => limit().isOldName && mayExcludeReasoning(call),
    isAllVisible: () =>
      !isChat ||
      (facts?.reasoning === false &&
        usage.reasoning + usage.outputAudio + usage.outputImage === 0 &&
        !hiding.has(finishReason ?? '') &&
        kind().reads === 'plain' &&
        !kind().hidesOutput &&
        !hasReasoning(result)),
  };
}

/** Ends after which a part of the answer may have been taken away. */
const hiding = new Set(['content_filter', 'refusal', 'sensitive', 'SAFETY']);

interface RequestLimit {
  most: number | undefined;
  /** It was `max_tokens` alone. */
  isOldName: boolean;
}

const limits =
  /"(max_tokens|max_completion_tokens|max_output_tokens|max_new_tokens|maxOutputTokens|maxTokens|num_predict)"\s*:\s*(\d{1,10})\b/g;

/** The limit that stands in a request, the largest where there are several; in a text its quotes would be escaped. */
function limitIn(body: Buffer): RequestLimit {
  let most: number | undefined;
  let isOldName = true;
  for (const [, name, value] of body.toString('latin1').matchAll(limits)) {
    most = Math.max(most ?? 0, Number(value));
    isOldName &&= name === 'max_tokens';
  }
  return { most, isOldName };
}

/** OpenAI and Azure, whose limits hold the reasoning. */
const holdsReasoning = new Set([1, 3]);

/** Vendors who speak OpenAI's Chat Completions, of whom some count reasoning beside `max_tokens`. */
const mayExcludeReasoning = ({ choice }: AttemptedCall): boolean =>
  choice.operation.dialect === 'openai' &&
  choice.operation.wire === undefined &&
  !holdsReasoning.has(choice.channel.provider.type);

/** Whether an answer shows reasoning. */
const hasReasoning = ({ stream, body }: AttemptResult): boolean =>
  stream
    ? stream.hasReasoning === true
    : body.includes('"reasoning') || body.includes('"thinking') || body.includes('"thought"');

import { factsOf } from '#usage/model-facts.ts';
import { documentsIn, kindOfRequest, type RequestKind } from '#usage/request-kind.ts';
import { type CallNature, type CallSizes, checkedUsage, isWithinSizes } from '#usage/usage-bounds.ts';
import type { Sent } from '#relay/upstream/sent.ts';
import type { Judged, Verdict } from '#relay/outcome/verdict.ts';

/**
 * A verdict whose usage is within what its call can have used: what is above is cut to that, and what is far from what
 * was visible is marked. Nearly every call ends at a comparison of sizes that are known already.
 */
export function withCheckedUsage(call: Judged, sent: Sent, verdict: Verdict): Verdict {
  if (verdict.outcome === 'failed' || (verdict.usageSource === 'estimate' && !verdict.reported && !verdict.images))
    return verdict;
  const sizes = sizesOf(call, sent, verdict);
  if (isWithinSizes(verdict.usage, sizes)) return verdict;
  const checked = checkedUsage(verdict.usage, sizes, natureOf(call, sent, verdict));
  if (!checked) return verdict;
  verdict.usage = checked.usage;
  verdict.doubt = { mark: checked.mark, findings: checked.findings };
  return verdict;
}

/** A day: longer than any sound that is listened to in one call. */
const MOST_SECONDS = 86_400;

function sizesOf(
  { request, exchange, operation }: Judged,
  { stream, streamed, body, parts }: Sent,
  verdict: Verdict,
): CallSizes {
  let received = stream ? streamed : body.length;
  let sent = exchange.stored?.length ?? exchange.body.length;
  for (const part of parts?.slice(1) ?? []) received += part.body.length;
  for (const part of exchange.further ?? []) sent += part.length;
  const { outputLimit, choices = 1, mostSeconds = MOST_SECONDS, assumed } = request;
  const isImages = operation.startsWith('images.');
  return {
    sent,
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

function natureOf(call: Judged, sent: Sent, { usage, finishReason }: Verdict): CallNature {
  const { choice, operation, json, exchange } = call;
  const facts = factsOf(choice.upstreamModel);
  const isChat = operation === 'chat' || operation === 'completions';
  let known: RequestKind | undefined;
  const kind = () => (known ??= kindOfRequest(json));
  let told: SentLimit | undefined;
  const limit = () => (told ??= limitIn(exchange.body));
  return {
    facts,
    kind,
    documents: operation === 'rerank' ? documentsIn(json) : 1,
    sentLimit() {
      const { most, isOldName } = limit();
      if (most === undefined || (isOldName && usage.reasoning === 0 && mayCountBeside(call) && thinks(sent)))
        return undefined;
      return Math.max(call.request.outputLimit ?? 0, most * (call.request.choices ?? 1));
    },
    reasoningBesideLimit: () => limit().isOldName && mayCountBeside(call),
    isAllVisible: () =>
      !isChat ||
      (facts?.reasoning === false &&
        usage.reasoning + usage.outputAudio + usage.outputImage === 0 &&
        !hiding.has(finishReason ?? '') &&
        kind().reads === 'plain' &&
        !kind().hidesOutput &&
        !thinks(sent)),
  };
}

/** Ends after which a part of the answer may have been taken away. */
const hiding = new Set(['content_filter', 'refusal', 'sensitive', 'SAFETY']);

interface SentLimit {
  most: number | undefined;
  /** It was `max_tokens` alone. */
  isOldName: boolean;
}

const limits =
  /"(max_tokens|max_completion_tokens|max_output_tokens|max_new_tokens|maxOutputTokens|maxTokens|num_predict)"\s*:\s*(\d{1,10})\b/g;

/** The limit that stands in a request, the largest where there are several; in a text its quotes would be escaped. */
function limitIn(body: Buffer): SentLimit {
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
const mayCountBeside = ({ choice }: Judged): boolean =>
  choice.operation.dialect === 'openai' &&
  choice.operation.wire === undefined &&
  !holdsReasoning.has(choice.channel.provider.type);

/** Whether an answer shows reasoning. */
const thinks = ({ stream, body }: Sent): boolean =>
  stream
    ? stream.thinks === true
    : body.includes('"reasoning') || body.includes('"thinking') || body.includes('"thought"');

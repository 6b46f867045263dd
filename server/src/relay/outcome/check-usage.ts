import { hasWord } from '#json.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { factsOf } from '#usage/model-facts.ts';
import { documentsIn, kindOfRequest, type RequestKind } from '#usage/request-kind.ts';
import { type CallNature, type CallSizes, checkedUsage, isWithinSizes } from '#usage/usage-bounds.ts';
import type { VerdictInput, Verdict } from '#relay/types/call-types.ts';

/**
 * Limits the reported usage to what the call can have used, and marks usage far from what was visible. Nearly every
 * call ends at a comparison of known sizes.
 */
export function withCheckedUsage(call: VerdictInput, result: AttemptResult, verdict: Verdict): Verdict {
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

/** One day: longer than any audio of one call. */
const MAX_SECONDS = 86_400;

function sizesOf(
  { request, outgoing, operation }: VerdictInput,
  { stream, streamedBytes: streamed, body, parts }: AttemptResult,
  verdict: Verdict,
): CallSizes {
  let received = stream ? streamed : body.length;
  let sentBytes = outgoing.storedBody?.length ?? outgoing.body.length;
  for (const part of parts?.slice(1) ?? []) received += part.body.length;
  for (const part of outgoing.moreBodies ?? []) sentBytes += part.length;
  const { outputLimit, choices = 1, maxSeconds: mostSeconds = MAX_SECONDS, assumed } = request;
  const isImages = operation.startsWith('images.');
  return {
    sent: sentBytes,
    received,
    // Stream events have overhead, and a reader may not know all of their forms.
    seen: stream && !isImages ? Math.max(stream.estimatedOutput(), received / 64) : received / 4,
    choices,
    limit: operation === 'chat' || operation === 'completions' ? outputLimit : undefined,
    seconds: mostSeconds,
    images: isImages ? (assumed?.units ?? 1) : undefined,
    imagesMade: verdict.images,
  };
}

function natureOf(call: VerdictInput, result: AttemptResult, { usage, finishReason }: Verdict): CallNature {
  const { choice, operation, json, outgoing } = call;
  const facts = factsOf(choice.upstreamModel);
  const isChat = operation === 'chat' || operation === 'completions';
  let known: RequestKind | undefined;
  const kind = () => (known ??= kindOfRequest(json));
  let requestLimit: RequestLimit | undefined;
  const limit = () => (requestLimit ??= limitIn(outgoing.body));
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

/** Finish reasons after which part of the reply may be missing. */
const hiding = new Set(['content_filter', 'refusal', 'sensitive', 'SAFETY']);

interface RequestLimit {
  most: number | undefined;
  /** The only limit was `max_tokens`. */
  isOldName: boolean;
}

const limits =
  /"(max_tokens|max_completion_tokens|max_output_tokens|max_new_tokens|maxOutputTokens|maxTokens|num_predict)"\s*:\s*(\d{1,10})\b/g;

/** The largest output limit in a request. Inside a text the quotes would be escaped. */
function limitIn(body: Buffer): RequestLimit {
  let most: number | undefined;
  let isOldName = true;
  for (const [, name, value] of body.toString('latin1').matchAll(limits)) {
    most = Math.max(most ?? 0, Number(value));
    isOldName &&= name === 'max_tokens';
  }
  return { most, isOldName };
}

/** Hosts of OpenAI and Azure, whose limits include reasoning. */
const holdsReasoning =
  /^https:\/\/(?:[\w-]+\.)*(?:api\.openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)(?:[/:]|$)/i;

/** Vendors with OpenAI's Chat Completions API, some of which count reasoning on top of `max_tokens`. */
const mayExcludeReasoning = ({ choice }: VerdictInput): boolean =>
  choice.operation.dialect === 'openai' && !holdsReasoning.test(choice.channel.baseUrl);

const reasoningWords = ['"reasoning', '"thinking', '"thought"'];

const hasReasoning = ({ stream, body }: AttemptResult): boolean =>
  stream ? stream.hasReasoning === true : hasWord(body, reasoningWords);

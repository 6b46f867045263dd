/**
 * The outcome step: judges an attempt: what the caller receives and what is charged.
 * After it: call retries at another channel, or settles.
 */
import { Buffer } from 'node:buffer';
import { completionTokens, noUsage, type Usage } from '@relay-hub/contract';
import { chargedImages, chargedSpeech } from '#relay/dialects/assumed-usage.ts';
import { withCheckedUsage } from './check-usage.ts';
import type { VerdictInput, Verdict } from '#relay/types/call-types.ts';
import { endSentence, RelayError } from '#relay/reply/relay-error.ts';
import { lastEventEnd } from '#relay/body/event-ends.ts';
import type { ErrorNames } from '#relay/types/stream-types.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { lacksOutputTokens, withEstimatedOutput } from '#usage/zero-output.ts';
import { promptBlocked } from './content-filter.ts';
import { isTimeout, judgeUnanswered, unreachableError } from './judge-failure.ts';
import { judgeReply } from './judge-reply.ts';
import { causeOfRefusal } from './refusal-cause.ts';
import { refusalInStream, UNKNOWN_STATUS } from './upstream-refusal.ts';
import { maskAndTrim, refusalForCaller } from './upstream-text.ts';
import { assumedUsage, failedVerdict } from './verdict.ts';

/**
 * Judges a finished attempt: the outcome and the usage to charge. `refusal` is safe for the caller; `message` is for
 * operators.
 */
export function judge(call: VerdictInput, result: AttemptResult): Verdict {
  const verdict = withCheckedUsage(call, result, interpret(call, result));
  // The body is more exact than the headers.
  if (result.tier) verdict.served = { modes: result.tier, ...verdict.served };
  if (verdict.refusal) verdict.refusal = refusalForCaller(call.choice, verdict.refusal);
  return verdict;
}

function interpret(call: VerdictInput, result: AttemptResult): Verdict {
  if (result.stream) return judgeStream(call, result, result.stream);
  if (result.failure?.code === 'client_gone') return judgeAbandoned(call);
  if (result.failure || result.status < 200 || result.status >= 300)
    return judgeUnanswered(call.choice, result, call.outgoing.body);
  return judgeReply(call, result);
}

function judgeStream(call: VerdictInput, result: AttemptResult, stream: NonNullable<AttemptResult['stream']>): Verdict {
  const tail = joined(result.body, stream.flush());
  const { finishReason } = stream;
  const images = stream.images?.();
  const ended = finishReason !== undefined || stream.endsWithConnection === true;
  const whole =
    stream.error === undefined &&
    stream.empty !== true &&
    images !== 0 &&
    (stream.done || (ended && result.failure === undefined));
  const brokenOff = result.failure?.code === 'client_gone';
  // Usage of images that never came is unknown, as for any abandoned reply.
  const known = {
    ...usageOfStream(call, stream, whole, brokenOff && images === 0 ? undefined : images),
    served: stream.served?.(),
    images,
    finishReason,
  };
  if (whole || brokenOff)
    return {
      ...known,
      outcome: result.clientGone ? 'client_gone' : 'answered',
      code: brokenOff ? 'client_gone' : 'ok',
      message: undefined,
      tail: whole ? withUsage(stream.done ? tail : withEnd(tail, stream, result), call, stream, known.usage) : tail,
    };

  const isEmpty = stream.done || result.failure === undefined ? stream.empty === true || images === 0 : false;
  const usual = isEmpty ? 'the stream holds no answer' : 'the stream ended before its end';
  const code =
    stream.error !== undefined
      ? 'error_in_stream'
      : (result.failure?.code ?? (isEmpty ? 'bad_reply' : 'stream_broken'));
  const message = maskAndTrim(call.choice, stream.error ?? result.failure?.message ?? usual);
  const refusal = refusalOfBreak(call, message, stream.errorNames);
  const spent = stream.usage() && { usage: known.usage, served: known.served };
  if (stream.blocked) return { ...promptBlocked(message), spent };
  // Without any output nothing is charged.
  const lacksOutput = stream.estimatedOutput() === 0 && completionTokens(known.usage) === 0;
  if (isEmpty || images === 0 || stream.hasContent === false || lacksOutput)
    return {
      ...failedVerdict(
        code,
        message,
        stream.error === undefined && isTimeout(result) ? unreachableError(result) : refusal,
      ),
      finishReason,
      spent,
      endsMidEvent: result.endsMidEvent,
      ...(stream.error !== undefined && {
        upstreamRefusal: refusalInStream(call.choice, message, stream.errorNames),
        ...(call.outgoing.failsInStream && { begun: result.body }),
      }),
    };
  return { ...known, outcome: 'broken', code, message, refusal, endsMidEvent: result.endsMidEvent };
}

/** The bytes held back, and the end of the stream; undefined: neither. */
const joined = (held: Buffer, end: Buffer | undefined): Buffer | undefined =>
  held.length === 0 ? end : Buffer.concat(end ? [held, end] : [held]);

/** Adds the charged usage, for a caller who asked for it, before the end of a stream whose upstream reported none. */
function withUsage(
  tail: Buffer | undefined,
  { operation, request: { wantsUsage, model } }: VerdictInput,
  stream: NonNullable<AttemptResult['stream']>,
  usage: Usage,
): Buffer | undefined {
  if (!wantsUsage || !stream.usageEvent || !tail || stream.usage()) return tail;
  if (operation !== 'chat' && operation !== 'completions') return tail;
  const at = tail.lastIndexOf('data:');
  const event = Buffer.from(stream.usageEvent(usage, { model, created: Math.floor(Date.now() / 1000) }));
  return Buffer.concat([tail.subarray(0, at), event, tail.subarray(at)]);
}

/** Names that a vendor's error may keep: no addresses, no secrets. */
const isErrorName = (name: string | undefined): name is string =>
  name !== undefined && /^[a-z][\w.-]{1,63}$/i.test(name);

/** The error that ends a stream, by the vendor's own names, so that clients know an overload as such. */
function refusalOfBreak(
  { choice }: VerdictInput,
  message: string,
  { type, code, status = UNKNOWN_STATUS }: Partial<ErrorNames> = {},
): RelayError {
  const own = { message, type, code, param: undefined, status, retryAfterMs: undefined };
  const { cause } = causeOfRefusal(own, {
    isJson: true,
    upstreamModel: choice.upstreamModel,
    requestBody: undefined,
  });
  const isOperators = cause === 'key' || cause === 'billing';
  return new RelayError(isOperators ? UNKNOWN_STATUS : status, `The upstream broke off: ${endSentence(message)}`, {
    type: !isOperators && isErrorName(type) ? type : 'upstream_error',
    code: !isOperators && isErrorName(code) ? code : 'stream_broken',
  });
}

/** Without the end marker clients would wait, or take the stream for broken. */
function withEnd(
  tail: Buffer | undefined,
  { endEvent: end }: NonNullable<AttemptResult['stream']>,
  { endsMidEvent: torn }: AttemptResult,
): Buffer | undefined {
  if (end === undefined) return tail;
  const isOpen = tail ? lastEventEnd(tail) !== tail.length : torn;
  return Buffer.from((tail?.toString('latin1') ?? '') + (isOpen ? '\n\n' : '') + end, 'latin1');
}

/** Reported usage if it agrees with the stream; otherwise an estimate. */
function usageOfStream(
  { request }: VerdictInput,
  stream: NonNullable<AttemptResult['stream']>,
  whole: boolean,
  images: number | undefined,
): Pick<Verdict, 'usage' | 'usageSource' | 'partlyReported'> {
  const reported = stream.usage();
  const { assumed, inputTokens } = request;
  if (images !== undefined && assumed)
    return { usage: chargedImages(reported, images, assumed), usageSource: reported ? 'upstream' : 'estimate' };
  const output = stream.estimatedOutput();
  if (!reported)
    return {
      usage: assumed ? chargedSpeech(assumed, stream.seconds?.()) : { ...noUsage, input: inputTokens, output },
      usageSource: 'estimate',
    };
  if (!assumed && lacksOutputTokens(reported, output))
    return { usage: withEstimatedOutput(reported, inputTokens, output), usageSource: 'estimate', partlyReported: true };
  // A broken stream may contain text after its last usage report.
  const untold = whole ? 0 : (stream.outputAfterUsage?.() ?? 0);
  if (untold === 0) return { usage: reported, usageSource: 'upstream' };
  return { usage: { ...reported, output: reported.output + untold }, usageSource: 'estimate', partlyReported: true };
}

/** The caller left and the reply was not awaited: the prompt was read, the output is unknown. */
function judgeAbandoned(call: VerdictInput): Verdict {
  return {
    outcome: 'client_gone',
    usage: assumedUsage(call),
    usageSource: 'estimate',
    finishReason: undefined,
    code: 'client_gone',
    message: undefined,
  };
}
